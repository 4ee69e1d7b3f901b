import Packets
import SystemPackage

/// Reads back the lines of a file that the program wrote. Each row is one line, since escaping leaves no line break inside.
struct FileLines {
  private static let bufferLength = 256 << 10
  private let file: OutputFile

  /// Creates a reader for a file that is complete.
  init(_ file: OutputFile) { self.file = file }

  /// Passes on each line with its line end. An unfinished last line is left out.
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
      // The octets from before have no line end.
      var searched = count
      count += read
      var start = 0
      while let end = buffer[searched..<count].firstIndex(of: UInt8(ascii: "\n")) {
        try buffer.withOctets { all throws(ReportError) in try body(all.extracting(start..<end + 1)) }
        start = end + 1
        searched = start
      }
      // The rest of a line moves to the front. The buffer grows for a longer line.
      buffer.replaceSubrange(0..<count - start, with: Array(buffer[start..<count]))
      count -= start
      if count == buffer.count { buffer += Array(repeating: 0, count: buffer.count) }
    }
  }
}
