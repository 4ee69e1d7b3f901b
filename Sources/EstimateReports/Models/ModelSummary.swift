import Estimates
import HTTPReassembly
import Reports
import Tabular

/// The output of `sniffer models`: each model's errors of requests and of responses, and whether the ledger balances.
///
/// All figures are octets, estimate less wire. Text from the wire is escaped; the same errors and width give the same text.
public struct ModelSummary {
  private let errors: ModelErrors
  private let totals: Totals
  private let facts: RunFacts
  private let redaction: Redaction?
  /// Whether each part has mean and worst errors, or only the total.
  private let showsParts: Bool
  private let choices: ModelChoices
  private let selection: Selection?

  /// Summarizes errors.
  ///
  /// - Parameters:
  ///   - errors: The models' errors.
  ///   - totals: The counts from the wire.
  ///   - redaction: Leaves out facts that may be personal.
  ///   - showsParts: Whether each part has mean and worst errors.
  ///   - facts: Facts about the input.
  ///   - choices: The shown models and their order.
  ///   - selection: The exchanges that `--where` selected; nil for the errors of all messages.
  public init(
    _ errors: ModelErrors, totals: Totals, redaction: Redaction? = nil, showsParts: Bool = false,
    facts: RunFacts = RunFacts(), choices: ModelChoices = ModelChoices(), selection: Selection? = nil
  ) {
    self.errors = errors
    self.totals = totals
    self.redaction = redaction
    self.showsParts = showsParts
    self.facts = facts
    self.choices = choices
    self.selection = selection
  }

  /// The summary as a JSON document (`ModelDocument`).
  ///
  /// - Parameter written: The folder that reports were written to, and their names; nil without reports.
  /// - Returns: The document with a line break at its end.
  public func document(written: (folder: String, files: [String])? = nil) -> String {
    ModelDocument(
      errors: errors, shown: choices.positions(errors), totals: totals, facts: facts, selection: selection,
      written: written
    ).text
  }

  /// The summary, fitted to the terminal if the stream is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    text(width: terminal.textWidth, colour: terminal.takesColour)
  }

  /// The summary in lines of at most `width` columns, if names and totals fit. The last line is never shortened.
  public func text(width: Int = Terminal.defaultWidth, colour: Bool = false) -> String {
    var sections: [[String]] = []
    for (title, overall, byAPI) in [
      ("Requests", errors.requests, \APIErrors.request), ("Responses", errors.responses, \APIErrors.response),
    ] {
      let table = ModelErrorTable(
        errors: errors, shown: choices.positions(errors), overall: overall, byAPI: byAPI, name: name, width: width,
        colour: colour)
      sections.append([Style.heading.apply("\(title): bytes, estimate less wire", colour: colour)] + table.sums())
      sections.append(table.extremes(parts: showsParts ? MessagePart.allCases : [.total]))
    }
    sections.append(notes(width: width, colour: colour))
    let style: Style = totals.ledger.difference == 0 ? .good : .bad
    sections.append([style.apply(Summary.lastLine(totals.ledger), colour: colour)])
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private func notes(width: Int, colour: Bool) -> [String] {
    let warnings = (selection?.lines("the tables above") ?? []) + ModelNotes.lines(errors)
    return warnings.flatMap { Style.warning.lines($0, width: width, colour: colour) }
      + facts.lines(totals.span).flatMap { $0.wrapped(to: width) }
  }

  private func name(_ api: APIErrors) -> String {
    APIKey(host: api.host, path: api.path, method: api.method).redacted(redaction).text
  }
}
