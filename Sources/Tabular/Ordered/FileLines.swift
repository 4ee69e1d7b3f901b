import Packets
import SystemPackage

/// The lines of a file of our own, read back. A row is a line: the escaping leaves no line break inside of one.
struct FileLines {
  private static let bufferLength = 256 << 10
  private let file: OutputFile

  /// The lines of a file to which nothing is appended any more.
  init(_ file: OutputFile) { self.file = file }

  /// Hands over each line with its line end; what was not written to its line end is left out.
  func forEach(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferLength)
    var count = 0
    var offset = 0
    while true {
      let read: Int
      do throws(Errno) { read = try file.descriptor.read(into: &buffer, from: count, at: offset) } catch {
        throw ReportError(.read, file.path, error)
      }
      guard read > 0 else { return }
      offset += read
      // Where no line ended before, none does now.
      var searched = count
      count += read
      var start = 0
      while let end = buffer[searched..<count].firstIndex(of: UInt8(ascii: "\n")) {
        try buffer.withOctets { all throws(ReportError) in try body(all.extracting(start..<end + 1)) }
        start = end + 1
        searched = start
      }
      // The rest of a line moves to the front; a line longer than the buffer makes it longer.
      buffer.replaceSubrange(0..<count - start, with: Array(buffer[start..<count]))
      count -= start
      if count == buffer.count { buffer += Array(repeating: 0, count: buffer.count) }
    }
  }
}
