import Capture
import Cryptography
import Packets

/// The whole content of the key logs of a run.
struct KeyLogContents {
  /// Their lines.
  private(set) var octets: [UInt8] = []

  /// Reads the logs.
  ///
  /// - Throws: When one cannot be read.
  init(_ paths: [String]) throws(CaptureError) {
    for path in paths {
      let file = try KeyLogFile(path: path)
      try file.readLines { $0.append(0..<$0.byteCount, to: &octets) }
      file.finish { $0.append(0..<$0.byteCount, to: &octets) }
      octets.append(UInt8(ascii: "\n"))
    }
  }

  /// The logs' digest for partials, in hexadecimal digits; empty without logs.
  var digest: String { octets.isEmpty ? "" : SHA256.text(of: octets) }
}
