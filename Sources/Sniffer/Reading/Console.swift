import Capture
import Reports
import Tabular

/// What a command that reads captures tells people while it reads: how far it is, and what goes wrong. It remembers how the command ends.
struct Console {
  /// How the command ends, as far as is known.
  private(set) var status = ExitStatus.success
  private var progress: ProgressBar<ContinuousClock>?
  private var lastFailure: ReportError?

  /// Nothing was said yet.
  init(showsProgress: Bool) {
    if showsProgress { progress = ProgressBar(clock: ContinuousClock()) }
  }

  /// So many bytes of `total` are read.
  mutating func pass(bytes: Int, of total: Int?) { progress?.update(bytes: bytes, of: total) }

  /// The reading is over: the progress bar goes.
  mutating func clear() { progress?.clear() }

  /// Writes a line, which is no failure by itself.
  mutating func say(_ line: String) {
    progress?.clear()
    ErrorOutput.write(line)
  }

  /// Says what went wrong; the run goes on and ends with a failure.
  mutating func fail(_ line: String) {
    status = .failure
    say(line)
  }

  /// Says what could not be written; the run goes on and ends with a failure.
  mutating func fail(_ error: ReportError) {
    // Who reads the summary from a pipe has enough of it: that is an end, and no failure.
    if error.isReaderGone, error.file == "standard output" { return }
    status = .failure
    // One line for one cause, however many rows it hits.
    guard error != lastFailure else { return }
    lastFailure = error
    say(error.description)
  }

  /// A signal ended the reading: what failed before is more than that.
  mutating func end(by signal: Int32) {
    if status == .success { status = ExitStatus(rawValue: 128 + signal) ?? .failure }
  }

  /// The figures do not add up, or are above a limit.
  mutating func exceed() { status = .exceeded }
}
