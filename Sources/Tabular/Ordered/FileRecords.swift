import Packets
import SystemPackage

/// Reads back rows, which are no lines, of a file that the program wrote. Before each stands its length in octets, as eight octets, the
/// lowest first.
package struct FileRecords {
  /// Octets of the length before a row.
  package static let prefixLength = 8
  private static let bufferLength = 256 << 10

  private let file: OutputFile
  private let start: Int

  /// Creates a reader for the rows of a file from an offset on. The file's buffer must be empty.
  package init(_ file: OutputFile, from start: Int = 0) {
    self.file = file
    self.start = start
  }

  /// Passes on each row with the length before it.
  ///
  /// - Throws: errors of `body`, and if the file cannot be read or ends within a row.
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
      // The rest, less than a row, moves to the front. The buffer grows for a longer row.
      buffer.replaceSubrange(0..<count - position, with: Array(buffer[position..<count]))
      count -= position
      if next > buffer.count { buffer += Array(repeating: 0, count: next - buffer.count) }
    }
  }
}
