import Capture
import HTTPReassembly

/// The key logs of a run, read up to their current ends.
struct KeyLogs {
  private var files: [KeyLogFile] = []
  /// Calls of `poll` until the next read of the files.
  private var untilRead = 0
  /// Calls of `poll` for one read: each read is a system call a file, and a packet costs less than one.
  private static let pollInterval = 64

  /// Opens the logs.
  ///
  /// - Throws: When one cannot be opened.
  init(_ paths: [String]) throws(CaptureError) {
    for path in paths { files.append(try KeyLogFile(path: path)) }
  }

  private init() {}

  /// No logs.
  static var none: KeyLogs { KeyLogs() }

  /// Learns the keys that were written since the last time.
  ///
  /// - Throws: The first error, when one cannot be read; the others are still read.
  func read<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>) throws(CaptureError) {
    var failure: CaptureError?
    for (number, file) in files.enumerated() {
      do throws(CaptureError) { try file.readLines { pipeline.learn(secrets: $0, ofLog: number) } } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Learns, once in many calls, the keys that were written since the last time.
  ///
  /// - Throws: As `read` does.
  mutating func poll<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>, isIdle: Bool) throws(CaptureError) {
    untilRead -= 1
    // Data that waits for a secret does not wait for long.
    guard !files.isEmpty, isIdle || untilRead < 0 || pipeline.waitsForSecrets else { return }
    untilRead = Self.pollInterval
    try read(into: &pipeline)
  }

  /// Learns the rest of lines without ends: nothing more will be written.
  func finish<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>) {
    for (number, file) in files.enumerated() {
      file.finish { pipeline.learn(secrets: $0, ofLog: number) }
      pipeline.endOfSecrets()
    }
  }
}
