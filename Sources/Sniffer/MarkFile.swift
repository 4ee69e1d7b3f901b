import ArgumentParser
import Capture
import Cryptography
import Estimates
import HTTPReassembly
import SystemPackage
import Tabular

/// The marks of a file that `--marks` names. It is opened before root becomes another user.
struct MarkFile {
  /// The path as given.
  let path: String
  /// The marks for `Configuration.marks`.
  let marks: [TimeMark]
  /// The file from its start, for a live run; nil for a pipe, which is read to its end.
  let file: OpenFile?
  /// Tells whether two commands have the same marks, as partials need.
  let digest: String

  /// Reads a file.
  ///
  /// - Throws: `ValidationError`; the option and the value are printed before its text.
  init(path: String) throws {
    self.path = path
    let octets: [UInt8]
    do throws(ShortFile.Fault) { octets = try ShortFile.octets(of: path, limit: MarkList.sizeLimit) } catch {
      throw ValidationError("\(error.description).")
    }
    do throws(MarkFault) { marks = try MarkList.marks(in: octets) } catch {
      throw ValidationError("\(error.description).")
    }
    let file = try? OpenFile.reading(path)
    self.file = file?.isRegularFile == true ? file : nil
    var text: [UInt8] = []
    for mark in marks { text += Array("\(mark.time) \(mark.label.count) ".utf8) + mark.label }
    digest = String(SHA256.text(of: text).prefix(16))
  }

  /// Adds a mark of the current time to a file that exists.
  ///
  /// - Throws: `ReportError` when it cannot be written.
  static func add(_ label: String, to path: String) throws(ReportError) {
    let text = label.replacing("\"", with: "\"\"")
    let time = SystemClock.nanosecondsSinceEpoch
    let fraction = String(time % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - fraction.count)
    let line = Array("\(time / 1_000_000_000).\(zeros)\(fraction),\"\(text)\"\n".utf8)
    do throws(Errno) {
      let file = try OpenFile.appending(path)
      // One write keeps lines of several senders apart.
      try line.withOctets { octets throws(Errno) in try file.write(octets) }
      try file.close()
    } catch {
      throw ReportError(.write, path, error)
    }
  }
}
