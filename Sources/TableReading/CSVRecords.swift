/// Records of RFC 4180 from a stream of octets, one at a time, in one buffer that is used again.
///
/// It is stricter than most readers, so that a file of another kind is not taken for a table. Quotes stand only at the ends of a quoted
/// cell, and control characters only inside quotes. It is more lenient than the RFC in three ways. Lines may end with LF alone, the last
/// line may have no end, and empty lines are skipped.
package struct CSVRecords: ~Copyable {
  /// The first line of the current record, from 1.
  package private(set) var line = 0
  /// Octets of the current record's cells, one after the other.
  package private(set) var octets: [UInt8] = []
  /// The end of each cell in `octets`.
  package private(set) var ends: [Int] = []

  private let file: TableFile
  private let separator: UInt8
  private var chunk: [UInt8]
  /// The offset in the file of the octets after `chunk`.
  private var chunkEnd: Int
  private var position: Int
  private var nextLine = 1
  /// The longest record in octets, so that an open quote does not take the whole file into memory.
  static let longest = 1 << 20

  /// Starts with the header row. The separator is the candidate that the first line has most often.
  package init(file: TableFile) {
    self.file = file
    chunk = file.head
    chunkEnd = chunk.count
    position = file.head.starts(with: TableFile.byteOrderMark) ? 3 : 0
    let first = chunk[position...].prefix { $0 != 0x0a && $0 != 0x0d }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    let counts = candidates.map { candidate in first.count { $0 == candidate } }
    separator = candidates[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
  }

  /// Reads the next record; false at the end.
  package mutating func advance() throws(ReadingError) -> Bool {
    while try current() != nil {
      line = nextLine
      octets.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      var isMore = true
      while isMore {
        if try current() == UInt8(ascii: "\"") { try quoted() } else { try plain() }
        ends.append(octets.count)
        guard octets.count <= Self.longest else { throw error("a row of more than \(Self.longest) bytes") }
        isMore = try endCell()
      }
      if ends.count > 1 || !octets.isEmpty { return true }
    }
    return false
  }

  /// The octets of a cell of the current record.
  package func cell(_ cell: Int) -> ArraySlice<UInt8> { octets[(cell > 0 ? ends[cell - 1] : 0)..<ends[cell]] }

  /// The current octet; nil at the end.
  private mutating func current() throws(ReadingError) -> UInt8? {
    if position == chunk.count {
      chunk = try file.piece(from: chunkEnd)
      chunkEnd += chunk.count
      position = 0
      if chunk.isEmpty { return nil }
    }
    return chunk[position]
  }

  private mutating func plain() throws(ReadingError) {
    while try current() != nil {
      let start = position
      while position < chunk.count {
        let octet = chunk[position]
        if octet == separator || octet < 0x20 || octet == UInt8(ascii: "\"") || octet == 0x7f { break }
        position += 1
      }
      octets.append(contentsOf: chunk[start..<position])
      guard position == chunk.count else { return try checkPlainEnd() }
      guard octets.count <= Self.longest else { return }
    }
  }

  private func checkPlainEnd() throws(ReadingError) {
    let octet = chunk[position]
    guard octet != UInt8(ascii: "\"") else { throw error("a quote inside a cell that does not begin with one") }
    guard octet == separator || octet == 0x0a || octet == 0x0d else {
      throw error("a control character (\(octet)); is this text?")
    }
  }

  private mutating func quoted() throws(ReadingError) {
    position += 1
    while let octet = try current() {
      position += 1
      if octet == UInt8(ascii: "\"") {
        guard try current() == UInt8(ascii: "\"") else { return }
        position += 1
      }
      if octet == 0x0a { nextLine += 1 }
      octets.append(octet)
      guard octets.count <= Self.longest else { break }
    }
    throw error("a quote that nobody closes within \(Self.longest) bytes")
  }

  /// Passes the end of a cell. Returns whether another cell follows on the line.
  private mutating func endCell() throws(ReadingError) -> Bool {
    guard let octet = try current() else { return false }
    position += 1
    if octet == separator { return true }
    if octet == 0x0d {
      guard try current() == 0x0a else { throw error("a carriage return without a line feed") }
      position += 1
    } else if octet != 0x0a {
      throw error("something after a closing quote")
    }
    nextLine += 1
    return false
  }

  private func error(_ problem: String) -> ReadingError { ReadingError(file: file.path, "line \(line): \(problem)") }
}
