import Foundation

/// A file that another thread writes while it is read.
final class GrowingFile: Sendable {
  let url: URL

  /// Makes an empty file.
  init(_ name: String, in scratch: Scratch) throws { url = try scratch.file(name) }

  var path: String { url.path }
  /// Octets that are in it.
  var length: Int { (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0 }

  /// How often a word is in it.
  func count(of word: String) throws -> Int {
    let octets = try Data(contentsOf: url)
    var (count, start) = (0, octets.startIndex)
    while let found = octets.range(of: Data(word.utf8), in: start..<octets.endIndex) {
      (count, start) = (count + 1, found.upperBound)
    }
    return count
  }

  /// Appends octets, `count` at once, with a pause of a millisecond after so many writes: the reader is to see other lengths.
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
