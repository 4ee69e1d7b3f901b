import ArgumentParser
import Capture

/// The common arguments of commands that read capture files.
struct CaptureArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      """
      Capture files, folders with captures, or patterns of paths in quotes, as in 'day-*.pcap.gz'; - is standard input.
      """, valueName: "capture"), completion: .file())
  var captures: [String]

  @Flag(help: "Show no progress bar.")
  var noProgress = false

  func validate() throws { try refuseRepeated() }

  private func refuseRepeated() throws {
    if let path = CaptureCheck.repeated(in: captures) {
      throw ValidationError("\(path) is there twice: a packet would count twice.")
    }
  }

  /// The files and folders that must be readable to find and read the captures.
  var reached: [String] { captures.flatMap { CaptureName($0).reached } }

  /// The default name for a folder of reports; nil without captures.
  var outputName: String? { captures.first.map { CaptureName($0).outputName } }

  /// Replaces folders and patterns by their captures, and refuses paths that cannot be captures.
  ///
  /// - Parameter isQuiet: Whether skipped files are not mentioned.
  /// - Throws: The exit status of a failure, or a usage error.
  mutating func findCaptures(isQuiet: Bool) throws {
    var found: [String] = []
    var isComplete = true
    for argument in captures {
      let name = CaptureName(argument)
      do throws(CaptureError) {
        guard let captures = try name.found() else {
          found.append(argument)
          continue
        }
        found += captures.paths
        let other = name.passedOver(captures)
        if captures.paths.isEmpty {
          let reason = captures.report ?? other
          ErrorOutput.write("\(argument): no capture file is there" + (reason.map { ": \($0)" } ?? ""))
          isComplete = false
        } else if let other, !isQuiet {
          ErrorOutput.write("\(argument): \(other)")
        }
      } catch {
        ErrorOutput.write(error.description)
        isComplete = false
      }
    }
    if !isComplete { throw ExitCode(ExitStatus.failure.rawValue) }
    let named = captures.filter { !CaptureName($0).isSeveral }
    captures = found
    try refuseRepeated()
    // The found captures are checked already.
    try require(named)
  }

  /// Refuses paths that cannot be captures, before anything is read or written.
  func requireCaptures() throws { try require(captures) }

  private func require(_ captures: [String]) throws {
    let faults = captures.compactMap { path in CaptureCheck.fault(of: path).map { (path: path, error: $0) } }
    guard !faults.isEmpty else { return }
    for (path, error) in faults { ErrorOutput.write(error.description + hint(at: path, error)) }
    throw ExitCode(ExitStatus.failure.rawValue)
  }

  /// A suggestion for an argument that is not a capture.
  private func hint(at path: String, _ error: CaptureError) -> String {
    switch error.problem {
    case .cannotOpen where !CaptureCheck.exists(path):
      guard let command = SnifferCommand.likelyCommand(path) else { return "" }
      return "; did you mean the command \(command)?"
    default: return ""
    }
  }
}
