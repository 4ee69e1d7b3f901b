import Packets
import SystemPackage

/// Rows in the order of their numbers in a temporary file, read back one at a time.
///
/// In the file, a row is its number and its length, eight octets each, least significant first, and then its octets.
package struct SortedRun {
  private static let prefixLength = 16
  /// Octets read at a time. With a few dozen open runs, all buffers together take a few MiB.
  private static let bufferLength = 64 << 10

  private let file: OutputFile
  private var fileLength = 0
  private var buffer: [UInt8] = []
  /// The part of `buffer` that has been read from the file and not taken yet.
  private var unread = 0..<0
  /// The offset in the file after the buffered octets.
  private var offset = 0
  /// The number of the first row; nil if no rows are left.
  private(set) var first: Int?
  private var firstLength = 0
  /// The number of the last appended row; 0 without any.
  private(set) var last = 0

  /// Octets left to read, which is the cost of merging this run.
  package var length: Int { fileLength - offset + unread.count }

  /// Creates a run without rows, in an empty file.
  package init(_ file: OutputFile) { self.file = file }

  /// Adds a row, whose number must be higher than all before. It can be read after `finishAppending`.
  package mutating func append(_ number: Int, _ row: RawSpan) throws(ReportError) {
    var prefix: [UInt8] = []
    prefix.reserveCapacity(Self.prefixLength)
    for shift in 0..<8 { prefix.append(UInt8(truncatingIfNeeded: number >> (shift * 8))) }
    for shift in 0..<8 { prefix.append(UInt8(truncatingIfNeeded: row.byteCount >> (shift * 8))) }
    try file.append(prefix)
    try file.append(row)
    last = number
  }

  /// Makes the appended rows readable. More may be appended later.
  package mutating func finishAppending() throws(ReportError) {
    try file.finishAppending()
    fileLength = file.length
    if first == nil { try readPrefix() }
  }

  /// Removes the first row and passes its octets to `body`. There must be one.
  package mutating func takeFirst(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    try need(firstLength)
    let row = unread.lowerBound..<unread.lowerBound + firstLength
    try buffer.withOctets { all throws(ReportError) in try body(all.extracting(row)) }
    unread = row.upperBound..<unread.upperBound
    try readPrefix()
  }

  private mutating func readPrefix() throws(ReportError) {
    guard length > 0 else {
      first = nil
      return
    }
    try need(Self.prefixLength)
    first = Int(truncatingIfNeeded: integer(at: unread.lowerBound))
    firstLength = Int(truncatingIfNeeded: integer(at: unread.lowerBound + 8))
    unread = unread.lowerBound + Self.prefixLength..<unread.upperBound
  }

  private func integer(at position: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<8 { value |= UInt64(buffer[position + index]) << UInt64(index * 8) }
    return value
  }

  /// Reads until `count` octets are in the buffer.
  private mutating func need(_ count: Int) throws(ReportError) {
    guard unread.count < count else { return }
    // The rest, less than a row, moves to the front. The buffer grows if the row does not fit.
    let left = unread.count
    if buffer.count < count {
      let length = max(min(Self.bufferLength, fileLength), count)
      buffer = Array(buffer[unread]) + Array(repeating: 0, count: length - left)
    } else {
      for index in 0..<left { buffer[index] = buffer[unread.lowerBound + index] }
    }
    unread = 0..<left
    while unread.count < count {
      do throws(Errno) {
        let read = try file.descriptor.read(into: &buffer, from: unread.upperBound, at: offset)
        guard read > 0 else { throw Errno(rawValue: 0) }
        offset += read
        unread = 0..<unread.upperBound + read
      } catch {
        if error.rawValue == 0 { throw ReportError(.read, file.path, reason: "It ends too early") }
        throw ReportError(.read, file.path, error)
      }
    }
  }
}
