/// Octets that samples of contents stand for, and their length in gzip. Both are estimates.
public struct SampledOctets: Sendable, Equatable {
  /// Octets of content that the samples stand for.
  public var octets = 0
  /// The length of those octets in gzip.
  public var compressed = 0

  /// No samples.
  public init() {}

  /// The estimated length in gzip of so many octets of such contents; nil without samples.
  public func estimate(of length: Int) -> Int? {
    guard octets > 0 else { return length == 0 ? 0 : nil }
    let (high, low) = UInt64(clamping: length).multipliedFullWidth(by: UInt64(clamping: compressed))
    guard high < UInt64(octets) else { return nil }
    return Int(clamping: UInt64(octets).dividingFullWidth((high, low)).quotient)
  }

  /// Adds a number of octets that `sample` octets stand for, which are `compressed` octets in gzip.
  fileprivate mutating func add(_ number: UInt64, _ sample: Int, _ compressed: Int) {
    let (high, low) = number.multipliedFullWidth(by: UInt64(clamping: compressed))
    // A sample of one octet may become more in gzip than its weight could be multiplied by.
    let share = high < UInt64(sample) ? UInt64(sample).dividingFullWidth((high, low)).quotient : UInt64(Int.max)
    octets = Self.sum(octets, number)
    self.compressed = Self.sum(self.compressed, share)
  }

  private static func sum(_ a: Int, _ b: UInt64) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(Int(clamping: b))
    return overflow ? .max : sum
  }
}

/// Contents without coding that gzip is tried on: the larger a content, the more likely it is one of them.
///
/// It is priority sampling (Duffield, Lund and Thorup, "Priority sampling for estimation of arbitrary subset sums", JACM 54(6), 2007). A
/// content has its length, divided by a number between 0 and 1 that its octets decide, as priority. Those with the highest priorities are
/// kept. Each stands for its own octets, or for as many as the highest priority that was not kept, if that is more. Neither the order of
/// arrival nor the number of threads changes the choice.
struct ContentSamples: Sendable {
  /// A content that may come several times.
  fileprivate struct Content {
    /// Its start, until it is compressed.
    var sample: [UInt8]
    /// Octets of its start.
    var length: Int
    /// The start's length in gzip; nil if it is not known yet.
    var compressed: Int?
    /// Octets of the whole content.
    var size: Int
    /// How many times it came.
    var count = 0
    /// The rows of `ContentTable` with it, and how many times each had it. Empty if they are too many.
    var rows: [(place: Int32, count: Int32)] = []
    var hasManyRows = false
  }

  private var contents: [Content] = []
  /// The contents' priorities and marks, in the same order.
  private var priorities: [Double] = []
  private var marks: [UInt64] = []
  /// The contents' indices by their marks.
  private var indices: [UInt64: Int] = [:]
  /// The highest priority of a content that was not kept.
  private var threshold = 0.0
  private var sampledOctets = 0
  private var limit: Int

  /// Rows that one content is counted for. A content of more rows counts for the total only.
  static let rowLimit = 64

  init(limit: Int) { self.limit = limit }

  /// Octets of memory that the samples take.
  var memory: Int { sampledOctets + MemoryBudget.grown(contents.count) * (MemoryLayout<Content>.stride + 32) }

  /// Ends the growth.
  mutating func close() { limit = min(limit, contents.count) }

  /// Takes a content of `size` octets that a row has, with its start or what is known of it.
  mutating func offer(_ note: inout ContentNotes.Note, size: Int, place: Int) {
    let mark = OctetMark.mixSteady(
      note.given?.choice ?? OctetMark.steady(of: note.sample), UInt64(truncatingIfNeeded: size))
    // 53 bits are a number between 0 and 1 that is not 0.
    let priority = Double(size) / (Double(mark >> 11 | 1) * 0x1p-53)
    guard priority > threshold else { return }
    let index = indices[mark] ?? append(note, size, mark, priority)
    contents[index].count += 1
    if !contents[index].hasManyRows { contents[index].add(Int32(truncatingIfNeeded: place)) }
    while contents.count > limit { removeLast() }
  }

  private mutating func append(
    _ note: borrowing ContentNotes.Note, _ size: Int, _ mark: UInt64, _ priority: Double
  ) -> Int {
    // The copy has no more capacity than it needs.
    let sample = Array(note.sample[...])
    contents.append(
      Content(
        sample: sample, length: note.given?.sample ?? sample.count, compressed: note.given?.compressed, size: size))
    priorities.append(priority)
    marks.append(mark)
    indices[mark] = contents.count - 1
    sampledOctets += note.sample.count
    return contents.count - 1
  }

  /// Removes the content with the lowest priority.
  private mutating func removeLast() {
    var lowest = 0
    for index in priorities.indices where priorities[index] < priorities[lowest] { lowest = index }
    threshold = priorities[lowest]
    sampledOctets -= contents[lowest].sample.count
    indices[marks[lowest]] = nil
    let last = contents.count - 1
    if lowest != last {
      contents.swapAt(lowest, last)
      priorities.swapAt(lowest, last)
      marks.swapAt(lowest, last)
      indices[marks[lowest]] = lowest
    }
    contents.removeLast()
    priorities.removeLast()
    marks.removeLast()
  }

  /// Compresses what was not compressed yet, and returns what the contents of each row stand for, and those of all rows together. In the
  /// latter, no content becomes longer in gzip.
  mutating func totals(rows: Int, _ compressor: any ContentCompressor) -> (rows: [SampledOctets], all: SampledOctets) {
    var totals = (rows: Array(repeating: SampledOctets(), count: rows), all: SampledOctets())
    for index in contents.indices {
      let compressed =
        contents[index].compressed ?? contents[index].sample.withOctets { compressor.compressedLength(of: $0) }
      sampledOctets -= contents[index].sample.count
      contents[index].sample = []
      contents[index].compressed = compressed
      let (length, size) = (contents[index].length, Double(contents[index].size))
      // Larger numbers come from chosen octets only.
      let number = UInt64(min(max(size, threshold), 0x1p53))
      func weight(_ count: Int) -> UInt64 {
        let (weight, overflow) = number.multipliedReportingOverflow(by: UInt64(count))
        return overflow ? .max : weight
      }
      totals.all.add(weight(contents[index].count), length, min(compressed, length))
      for row in contents[index].rows { totals.rows[Int(row.place)].add(weight(Int(row.count)), length, compressed) }
    }
    return totals
  }
}

extension ContentSamples.Content {
  /// Counts the content once more for a row.
  fileprivate mutating func add(_ place: Int32) {
    if let row = rows.firstIndex(where: { $0.place == place }) {
      rows[row].count &+= rows[row].count == .max ? 0 : 1
    } else if rows.count < ContentSamples.rowLimit {
      rows.append((place, 1))
    } else {
      rows = []
      hasManyRows = true
    }
  }
}
