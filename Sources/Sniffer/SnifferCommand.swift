import ArgumentParser
import Tabular

/// `sniffer`: where each octet of a capture went, and what each HTTP API costs.
@main
struct SnifferCommand: ParsableCommand {
  /// The version, without the name.
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "sniffer",
    abstract: "Tells from packets alone how many bytes each HTTP API of an app costs, to the byte.",
    discussion: """
      Every byte of every captured packet falls in exactly one class of a ledger, and the ledger balances.
      """,
    version: version,
    subcommands: [
      AnalyzeCommand.self, MergeCommand.self, LiveCommand.self, TopCommand.self, VerifyCommand.self, ModelsCommand.self,
      DiffCommand.self,
      BudgetCommand.self, KeysCommand.self, InterfacesCommand.self, SocketOwnersCommand.self,
    ],
    defaultSubcommand: AnalyzeCommand.self)

  /// Runs the program. Like many others it says its version for -V, too.
  static func main() {
    if CommandLine.arguments.dropFirst().elementsEqual(["-V"]) { return print(version) }
    main(nil)
  }

  /// The command that a word is a misspelling of; nil when it is none of them, and for what looks like a path.
  static func likelyCommand(_ word: String) -> String? {
    guard !word.contains("/"), !word.contains(".") else { return nil }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    let likely = names.map { (name: $0, distance: EditDistance.between(word, $0)) }.min { $0.distance < $1.distance }
    guard let likely, likely.distance <= 2, likely.distance < likely.name.count else { return nil }
    return likely.name
  }
}
