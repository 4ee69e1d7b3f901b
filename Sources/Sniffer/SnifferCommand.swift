import ArgumentParser
import Capture
import HTTPReassembly
import ProcessConfinement
import Reports
import Tabular

/// `sniffer`: the use of each octet of a capture, and the cost of each HTTP API.
@main
struct SnifferCommand: ParsableCommand {
  /// The version, without the name.
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "sniffer",
    abstract: "Measure how many bytes each HTTP API of an app costs, from packets alone, to the byte.",
    usage: """
      sniffer <capture> ... [<options>]
      sniffer <command> ...
      """,
    discussion: """
      Every byte of every captured packet is in exactly one class of a ledger, and the ledger balances.

        sniffer capture.pcap                         the summary
        sniffer capture.pcap --template              /users/42, /users/43: one API
        sniffer capture.pcap -o report --format html a page to look at
        sudo sniffer top -i eth0                     live, on an interface
        sniffer guide                                how to make a capture

      'sniffer help analyze' lists the options of the first three.
      """,
    version: version,
    subcommands: [
      AnalyzeCommand.self, MergeCommand.self, LiveCommand.self, TopCommand.self, VerifyCommand.self, ModelsCommand.self,
      DiffCommand.self,
      BudgetCommand.self, KeysCommand.self, GuideCommand.self, InterfacesCommand.self, SocketOwnersCommand.self,
    ],
    defaultSubcommand: AnalyzeCommand.self)

  /// Runs the program. As in many programs, -V prints the version, too.
  static func main() {
    UnusedMemory.giveBackLargePieces()
    let arguments = ProgramArguments.all
    InheritedDescriptors.close(butThoseIn: arguments)
    if arguments.dropFirst().elementsEqual(["-V"]) { answer(version + "\n") }
    if arguments.count == 1 { answer(Greeting.text) }
    do {
      var command = try parseAsRoot(FamiliarOptions.settled(Array(arguments.dropFirst())))
      try command.run()
    } catch {
      refuseMisspelling(error)
      if exitCode(for: error) == .validationFailure,
        let correction = FamiliarOptions.correction(of: message(for: error))
      {
        refuse(correction)
      }
      refuse(error)
    }
  }

  /// Prints text that is not about captures, such as the help, and ends the program.
  private static func answer(_ text: String) -> Never {
    do throws(ReportError) { try StandardOutput.write(text) } catch { refuse(error) }
    exit()
  }

  /// Ends the program. Arguments that an error repeats have no effect on a terminal, and no lines of their own.
  private static func refuse(_ error: any Error) -> Never {
    if let error = error as? ReportError { exit(withError: ExitCode(ErrorOutput.report(error).rawValue)) }
    if exitCode(for: error) == .success { answer(fullMessage(for: error) + "\n") }
    guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
    var text = fullMessage(for: error)
    for argument in ProgramArguments.all where argument.contains(where: \.isNewline) {
      text = text.replacing(argument, with: ErrorOutput.escaped(argument))
    }
    ErrorOutput.show(text + "\n")
    exit(withError: ExitCode.validationFailure)
  }

  /// Ends the program if its first word is a misspelt command. Other words are captures, and the command's options would be taken
  /// for wrong ones of `analyze`.
  private static func refuseMisspelling(_ error: any Error) {
    let arguments = ProgramArguments.all
    guard exitCode(for: error) == .validationFailure, arguments.count > 1 else { return }
    let word = arguments[1]
    let isCommand = configuration.subcommands.contains { $0.configuration.commandName == word }
    guard !isCommand, !CaptureCheck.exists(word), let command = likelyCommand(word) else { return }
    refuse(ValidationError("there is no command '\(word)'; did you mean \(command)?"))
  }

  /// The command that a word is a misspelling of; nil for other words, for options, and for words that look like paths.
  static func likelyCommand(_ word: String) -> String? {
    guard !word.contains("/"), !word.contains("."), !word.hasPrefix("-") else { return nil }
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    let likely = names.map { (name: $0, distance: EditDistance.between(word, $0)) }.min { $0.distance < $1.distance }
    guard let likely, likely.distance <= 2, likely.distance < likely.name.count else { return nil }
    return likely.name
  }
}
