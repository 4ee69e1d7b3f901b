import HTTPReassembly
import Tabular

/// A report sink that writes files, brings them up to date while a run goes on, and completes them when it is finished.
///
/// A row that cannot be written throws the first time only; the report goes on with whatever else it can write,
/// later rows of the same table are left out, and `finish` throws the first error again. So a caller that stops at
/// an error and one that goes on both get every file that could be written.
public protocol Report: ReportSink where Failure == ReportError {
  /// Whether it is given rows beyond `ReportContext.allowance`, too: it has no row for each, or sees to it by itself.
  var takesEveryRow: Bool { get }

  /// What the pipeline is to tell what messages say; nil for a report that needs their lengths only.
  var observer: (any MessageObserver)? { get }

  /// Brings every file up to date, of a run that goes on.
  ///
  /// - Parameters:
  ///   - totals: What is known so far.
  ///   - openMessages: Calls its argument with each message that is not final yet.
  /// - Throws: the first error; what could be brought up to date has been.
  mutating func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError)

  /// Starts anew what somebody has moved away (SIGHUP); the rest goes on.
  ///
  /// - Throws: the first error.
  mutating func reopen() throws(ReportError)

  /// Writes what is known only at the end, and completes every file.
  ///
  /// - Throws: the first error of the whole report; everything that could be written has been.
  mutating func finish(_ totals: Totals) throws(ReportError)
}

extension Report {
  /// Most reports have a row for each.
  public var takesEveryRow: Bool { false }

  /// Most reports need lengths only.
  public var observer: (any MessageObserver)? { nil }
}

/// The first error of several attempts. Each attempt is made, whatever became of the others.
struct FirstError {
  /// The error.
  private(set) var error: ReportError?

  /// After an error, if there was one.
  init(_ error: ReportError? = nil) { self.error = error }

  /// Makes an attempt.
  mutating func attempt(_ body: () throws(ReportError) -> Void) {
    do throws(ReportError) { try body() } catch { self.error = self.error ?? error }
  }

  /// Throws the error.
  func check() throws(ReportError) { if let error { throw error } }
}

/// What messages say beyond their figures, as far as a HAR may have it (`--har-content`). Nothing of it is in a HAR unless
/// it was asked for: it has passwords, tokens and personal data in it.
public enum HARContent: String, CaseIterable, Sendable {
  /// Names and values of header fields, cookies, reason phrases, redirect targets.
  case headers
  /// The query of request targets.
  case queries
  /// Content without its codings.
  case bodies
}

/// What a run was asked to do beside grouping and redaction, for those who read its report later.
public struct RunChoices: Sendable, Equatable {
  /// What paths are grouped by: `patterns`, `identifiers` or both, separated by a comma; empty when each path is its own API's.
  public var template: String
  /// The filter expression; empty without one.
  public var filter: String
  /// Options that change figures and are not as by default, as on the command line.
  public var options: String

  /// By default nothing.
  public init(template: String = "", filter: String = "", options: String = "") {
    self.template = template
    self.filter = filter
    self.options = options
  }
}

/// What every report of a run is told, whatever its format.
public struct ReportContext: Sendable {
  /// What the totals are grouped by.
  public var grouping: Configuration.Grouping
  /// What is left out; nil: nothing.
  public var redaction: Redaction?
  /// The version of the program, without its name.
  public var toolVersion: String
  /// What is analysed, as the user named it: capture files or interfaces.
  public var captures: [String]
  /// How it was analysed.
  public var choices: RunChoices
  /// What a HAR has beyond figures.
  public var harContent: Set<HARContent>
  /// What the rows of all reports of the run may take.
  public var allowance: RowAllowance

  /// Gathers what is known.
  public init(
    grouping: Configuration.Grouping, redaction: Redaction? = nil, toolVersion: String, captures: [String] = [],
    choices: RunChoices = RunChoices(), harContent: Set<HARContent> = [], allowance: RowAllowance = RowAllowance()
  ) {
    self.grouping = grouping
    self.redaction = redaction
    self.toolVersion = toolVersion
    self.captures = captures
    self.choices = choices
    self.harContent = harContent
    self.allowance = allowance
  }
}

/// Accepts everything and writes nothing, for a run that only wants the summary.
public struct NullReport: ReportSink {
  /// Makes one.
  public init() {}

  /// Does nothing.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  /// Does nothing.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
