import ArgumentParser

/// `sniffer`: where each octet of a capture went, and what each HTTP API costs.
@main
struct SnifferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sniffer",
    abstract: "Tells from packets alone how many bytes each HTTP API of an app costs, to the octet.",
    discussion: """
      Every octet of every captured packet falls in exactly one class of a ledger, and the ledger balances.
      """,
    version: "0.1.0",
    subcommands: [AnalyzeCommand.self, LiveCommand.self, InterfacesCommand.self],
    defaultSubcommand: AnalyzeCommand.self)
}
