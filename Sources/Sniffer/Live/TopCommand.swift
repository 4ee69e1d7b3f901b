import ArgumentParser
import Reports

/// `sniffer top --interface IF`
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Capture on interfaces and show the most expensive APIs on a terminal.",
    discussion: """
      This is sniffer live with its view, and has its options. ? lists the keys, Enter opens an API, h shows a line for each \
      host, and q ends the capture and prints the summary.
      """)

  @OptionGroup var live: LiveOptions

  mutating func validate() throws {
    if live.noView || live.summary.json || live.options.quiet || live.options.isStreaming {
      throw ValidationError("top is for its view: sniffer live knows --no-view, --json, --quiet and --output -.")
    }
  }

  func run() throws {
    guard Terminal.standardOutput.takesEscapeSequences else {
      ErrorOutput.write("top needs a terminal on standard output; sniffer live does not")
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    try live.run()
  }
}
