import Packets
import SystemPackage

/// Rows of a file of our own that are no lines, read back: in front of each stands its length in octets, eight octets of it, the lowest
/// first.
package struct FileRecords {
  /// Octets that stand in front of a row.
  package static let prefixLength = 8
  private static let bufferLength = 256 << 10

  private let file: OutputFile
  private let start: Int

  /// The rows of a file from an offset on. Nothing of it may wait in its buffer.
  package init(_ file: OutputFile, from start: Int = 0) {
    self.file = file
    self.start = start
  }

  /// Hands over each row, with what stands in front of it.
  ///
  /// - Throws: what `body` throws, and when the file cannot be read or ends within a row.
  package func forEach(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferLength)
    var count = 0
    var offset = start
    while true {
      let read: Int
      do throws(Errno) { read = try file.descriptor.read(into: &buffer, from: count, at: offset) } catch {
        throw ReportError(.read, file.path, error)
      }
      guard read > 0 else {
        if count > 0 { throw ReportError(.read, file.path, reason: "It ends too early") }
        return
      }
      offset += read
      count += read
      var position = 0
      var next = Self.prefixLength
      while position + Self.prefixLength <= count {
        next = Self.prefixLength + buffer.withOctets { Int(truncatingIfNeeded: $0.littleEndian64(position)) }
        guard position + next <= count else { break }
        try buffer.withOctets { all throws(ReportError) in try body(all.extracting(position..<position + next)) }
        position += next
      }
      // The rest, which is less than a row, moves to the front; a row longer than the buffer makes it longer.
      buffer.replaceSubrange(0..<count - position, with: Array(buffer[position..<count]))
      count -= position
      if next > buffer.count { buffer += Array(repeating: 0, count: next - buffer.count) }
    }
  }
}
