import ArgumentParser

/// `sniffer`: where each octet of a capture went, and what each HTTP API costs.
@main
struct SnifferCommand: ParsableCommand {
  /// The version, without the name.
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "sniffer",
    abstract: "Tells from packets alone how many bytes each HTTP API of an app costs, to the octet.",
    discussion: """
      Every octet of every captured packet falls in exactly one class of a ledger, and the ledger balances.
      """,
    version: version,
    subcommands: [
      AnalyzeCommand.self, LiveCommand.self, VerifyCommand.self, ModelsCommand.self, DiffCommand.self,
      BudgetCommand.self, KeysCommand.self, InterfacesCommand.self,
    ],
    defaultSubcommand: AnalyzeCommand.self)
}
