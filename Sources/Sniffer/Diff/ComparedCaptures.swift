import Capture
import HTTPReassembly
import Reports

/// The captures among the inputs of `diff`. They are analyzed one after the other, as in `analyze`.
struct ComparedCaptures {
  private let options: CommonOptions
  private let showsProgress: Bool
  /// The result of the analyses so far: the first failure.
  private(set) var status = ExitStatus.success

  /// Prepares analyses.
  ///
  /// - Parameters:
  ///   - analysis: The options of the analysis.
  ///   - messages: The options for messages.
  ///   - showsProgress: Whether a bar shows the progress of an analysis.
  /// - Throws: No error that a user could cause.
  init(_ analysis: AnalysisOptions, _ messages: MessageOptions, showsProgress: Bool) throws {
    options = try CommonOptions(analysis, messages)
    self.showsProgress = showsProgress
  }

  /// The key logs that are read.
  var keyLogs: [String] { options.keyLogs }

  /// Prepares keys and hashes, before the process is confined.
  func prepare() { options.prepareDigests() }

  /// A capture as the argument of a command.
  private func input(_ path: String) throws -> CaptureArguments {
    var input = try CaptureArguments.parse(["--", path])
    input.noProgress = !showsProgress
    return input
  }

  /// Refuses a path that cannot be a capture.
  ///
  /// - Throws: The exit status of a failure, after its error was printed.
  func require(_ path: String) throws { try input(path).requireCaptures() }

  /// Analyzes a capture to its end.
  ///
  /// - Parameter path: The capture.
  /// - Returns: The content of its report; nil when a signal ended the reading.
  /// - Throws: When the options are invalid.
  mutating func analyze(_ path: String) throws -> ReportedAPIs? {
    var analysis = CaptureAnalysis(
      options: options, input: try input(path), filter: try options.packetFilter())
    analysis.isPart = true
    analysis.saysKeyLogs = true
    analysis.tables = [.hosts]
    var apis: ReportedAPIs?
    let status = analysis.run(into: NullReport()) { _, totals in
      apis = ReportedAPIs(
        totals, name: path, grouping: options.configuration.grouping, redaction: options.redaction,
        choices: options.analysis.choices)
    } summarizing: { _, _, _ in
      ""
    }
    if self.status == .success { self.status = status }
    return status == .interrupted || status == .terminated ? nil : apis
  }
}
