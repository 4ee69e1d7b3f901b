import Foundation

/// A file that another thread writes while it is read.
final class GrowingFile: Sendable {
  let url: URL

  /// Makes an empty file.
  init(_ name: String, in scratch: Scratch) throws { url = try scratch.file(name) }

  var path: String { url.path }

  /// Appends octets, `count` at once, with a pause of a millisecond after so many writes.
  func append(_ octets: some Collection<UInt8>, by count: Int = .max, pausingAfter writes: Int = .max) throws {
    let handle = try FileHandle(forWritingTo: url)
    try handle.seekToEnd()
    var rest = octets[...]
    var written = 0
    while !rest.isEmpty {
      try handle.write(contentsOf: Data(rest.prefix(count)))
      rest = rest.dropFirst(count)
      written += 1
      if written.isMultiple(of: writes) { Thread.sleep(forTimeInterval: 0.001) }
    }
    try handle.close()
  }
}
