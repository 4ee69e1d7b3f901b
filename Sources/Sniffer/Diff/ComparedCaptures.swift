import Capture
import HTTPReassembly
import Reports

/// The captures among what `diff` compares: they are analysed, one after the other, as `analyze` would.
struct ComparedCaptures {
  private let options: CommonOptions
  private let showsProgress: Bool
  /// How the analyses ended so far: the first that did not end well.
  private(set) var status = ExitStatus.success

  /// Prepares analyses.
  ///
  /// - Parameters:
  ///   - analysis: How captures are analysed.
  ///   - isQuiet: Whether nothing but errors is said.
  ///   - showsProgress: Whether a bar shows how far an analysis is.
  /// - Throws: nothing that a user could see to.
  init(_ analysis: AnalysisOptions, isQuiet: Bool, showsProgress: Bool) throws {
    var options = try CommonOptions.parse([])
    options.analysis = analysis
    options.quiet = isQuiet
    self.options = options
    self.showsProgress = showsProgress
  }

  /// The key logs that are read.
  var keyLogs: [String] { options.keyLogs }

  /// Makes ready what opens TLS and hashes names: before the process is confined.
  func prepare() { options.prepareDigests() }

  /// A capture as the argument of a command.
  private func input(_ path: String) throws -> CaptureArguments {
    var input = try CaptureArguments.parse(["--", path])
    input.noProgress = !showsProgress
    return input
  }

  /// Refuses what cannot be a capture.
  ///
  /// - Throws: the exit status of a failure, which is said.
  func require(_ path: String) throws { try input(path).requireCaptures() }

  /// Analyses a capture to its end.
  ///
  /// - Parameter path: The capture.
  /// - Returns: What its report would have; nil when a signal ended the reading.
  /// - Throws: when the options cannot be had.
  mutating func analyze(_ path: String) throws -> ReportedAPIs? {
    var analysis = CaptureAnalysis(
      options: options, input: try input(path), filter: try options.packetFilter())
    analysis.isPart = true
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
