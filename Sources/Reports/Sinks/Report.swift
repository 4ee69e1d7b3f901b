import HTTPReassembly
import Tabular

/// A report sink that writes files, brings them up to date during a live run, and completes them when it is finished.
///
/// A row that cannot be written throws the first time only. The report continues with everything else that it can write. Later
/// rows of the same table are left out, and `finish` throws the first error again. So callers get every file that could be
/// written, whether they stop at an error or continue.
public protocol Report: ReportSink where Failure == ReportError {
  /// Whether it gets rows beyond `ReportContext.allowance`, too: it has no row for each, or handles the allowance itself.
  var takesEveryRow: Bool { get }

  /// The observer of messages' parts, for the pipeline; nil for a report that needs their lengths only.
  var observer: (any MessageObserver)? { get }

  /// Brings every file up to date, in a live run.
  ///
  /// - Parameters:
  ///   - totals: The totals so far.
  ///   - openMessages: Calls its argument with each message that is not final yet.
  /// - Throws: The first error; all other files are up to date.
  mutating func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError)

  /// Starts anew the files that were moved away (SIGHUP); the others continue.
  ///
  /// - Throws: The first error.
  mutating func reopen() throws(ReportError)

  /// Writes the facts that are known only at the end, and completes every file.
  ///
  /// - Throws: The first error of the whole report; all rows that could be written are written.
  mutating func finish(_ totals: Totals) throws(ReportError)
}

extension Report {
  /// Most reports have a row for each.
  public var takesEveryRow: Bool { false }

  /// Most reports need lengths only.
  public var observer: (any MessageObserver)? { nil }
}

/// The first error of several attempts. Each attempt is made, even after errors of others.
struct FirstError {
  /// The error.
  private(set) var error: ReportError?

  /// Starts with an earlier error, if any.
  init(_ error: ReportError? = nil) { self.error = error }

  /// Makes an attempt.
  mutating func attempt(_ body: () throws(ReportError) -> Void) {
    do throws(ReportError) { try body() } catch { self.error = self.error ?? error }
  }

  /// Throws the error.
  func check() throws(ReportError) { if let error { throw error } }
}

/// Parts of messages, besides their figures, that a HAR may have (`--har-content`). By default a HAR has none, because they
/// contain passwords, tokens and personal data.
public enum HARContent: String, CaseIterable, Sendable {
  /// Names and values of header fields, cookies, reason phrases, redirect targets.
  case headers
  /// The query of request targets.
  case queries
  /// Content without its codings.
  case bodies
}

/// The user's choices for a run besides grouping and redaction, for readers of its report.
public struct RunChoices: Sendable, Equatable {
  /// The grouping of paths: `patterns`, `identifiers` or both, separated by a comma; empty when each path is its own API's.
  public var template: String
  /// The filter expression; empty without one.
  public var filter: String
  /// Options that change figures and differ from the defaults, as on the command line.
  public var options: String

  /// By default, no choices.
  public init(template: String = "", filter: String = "", options: String = "") {
    self.template = template
    self.filter = filter
    self.options = options
  }
}

/// The facts for every report of a run, in any format.
public struct ReportContext: Sendable {
  /// The grouping of the totals.
  public var grouping: Configuration.Grouping
  /// The facts to leave out; nil keeps all.
  public var redaction: Redaction?
  /// The version of the program, without its name.
  public var toolVersion: String
  /// The analyzed capture files or interfaces, as the user named them.
  public var captures: [String]
  /// The key logs that open them, as the user named them.
  public var keyLogs: [String]
  /// The user's choices for the analysis.
  public var choices: RunChoices
  /// The parts of messages in a HAR besides figures.
  public var harContent: Set<HARContent>
  /// The limits of the rows of all reports of the run.
  public var allowance: RowAllowance

  /// A context of these facts.
  public init(
    grouping: Configuration.Grouping, redaction: Redaction? = nil, toolVersion: String, captures: [String] = [],
    keyLogs: [String] = [], choices: RunChoices = RunChoices(), harContent: Set<HARContent> = [],
    allowance: RowAllowance = RowAllowance()
  ) {
    self.grouping = grouping
    self.redaction = redaction
    self.toolVersion = toolVersion
    self.captures = captures
    self.keyLogs = keyLogs
    self.choices = choices
    self.harContent = harContent
    self.allowance = allowance
  }
}

/// Accepts everything and writes nothing, for a run that only needs the summary.
public struct NullReport: ReportSink {
  /// A report without output.
  public init() {}

  /// Does nothing.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
