import ArgumentParser

/// The length of the timeline's intervals.
struct IntervalOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Length of the timeline's intervals in seconds (default: about a hundredth of the capture).", valueName: "s"))
  var interval: Double?

  func validate() throws {
    if let interval, !(interval >= 1e-6 && interval < 1e9) {
      throw ValidationError("--interval needs a number of seconds from 0.000001 on.")
    }
  }

  /// The length in nanoseconds; nil by default.
  var nanoseconds: Int64? { interval.map { Int64(($0 * 1e9).rounded()) } }
}
