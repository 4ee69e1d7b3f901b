import ArgumentParser

/// What the commands that read capture files have in common.
struct CaptureArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("Capture files; - is standard input.", valueName: "capture"), completion: .file())
  var captures: [String]

  @Flag(help: "Show no progress bar.")
  var noProgress = false
}
