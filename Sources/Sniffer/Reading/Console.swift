import Capture
import Reports
import Tabular

/// The messages for people while a command reads captures: its progress and its errors. It remembers the command's result.
struct Console {
  /// The command's result so far.
  private(set) var status = ExitStatus.success
  private var progress: ProgressBar<ContinuousClock>?
  private var lastFailure: ReportError?

  /// No messages yet.
  init(showsProgress: Bool) {
    if showsProgress { progress = ProgressBar(clock: ContinuousClock()) }
  }

  /// Notes that `bytes` of `total` are read.
  mutating func pass(bytes: Int, of total: Int?) { progress?.update(bytes: bytes, of: total) }

  /// Removes the progress bar at the end of the reading.
  mutating func clear() { progress?.clear() }

  /// Writes a line that is not a failure by itself.
  mutating func say(_ line: String) {
    progress?.clear()
    ErrorOutput.write(line)
  }

  /// Reports an error; the run continues and ends with a failure.
  mutating func fail(_ line: String) {
    status = .failure
    say(line)
  }

  /// Reports a write error; the run continues and ends with a failure.
  mutating func fail(_ error: ReportError) {
    if error.isEnough { return }
    status = .failure
    // One cause gets one line, however many rows it affects.
    guard error != lastFailure else { return }
    lastFailure = error
    say(error.description)
  }

  /// Notes that a signal ended the reading; an earlier failure takes precedence.
  mutating func end(by signal: Int32) {
    if status == .success { status = ExitStatus(rawValue: 128 + signal) ?? .failure }
  }

  /// Notes that the figures do not add up, or exceed a limit.
  mutating func exceed() { status = .exceeded }
}
