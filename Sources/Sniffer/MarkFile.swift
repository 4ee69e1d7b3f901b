import ArgumentParser
import Cryptography
import Estimates
import HTTPReassembly
import Tabular

/// The marks of a file that `--marks` names.
struct MarkFile: Sendable {
  /// The marks for `Configuration.marks`.
  let marks: [TimeMark]
  /// Tells whether two commands have the same marks, as partials need.
  let digest: String

  /// Reads a file.
  ///
  /// - Throws: `ValidationError`; the option and the value are printed before its text.
  init(path: String) throws {
    let octets: [UInt8]
    do throws(ShortFile.Fault) { octets = try ShortFile.octets(of: path, limit: MarkList.sizeLimit) } catch {
      throw ValidationError("\(error.description).")
    }
    do throws(MarkFault) { marks = try MarkList.marks(in: octets) } catch {
      throw ValidationError("\(error.description).")
    }
    var text: [UInt8] = []
    for mark in marks { text += "\(mark.time) \(mark.label.count) ".utf8 + mark.label }
    digest = String(SHA256.text(of: text).prefix(16))
  }
}
