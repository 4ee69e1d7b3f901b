import HTTPReassembly

/// One figure of one message: the app's beside the wire's, in octets, and why they differ.
public struct FigureComparison: Sendable, Equatable {
  /// The app's; nil when its log has none.
  public var app: Int?
  /// The wire's; nil when there is no message.
  public var wire: Int?
  /// Why they differ; what they explain and `unexplained` add up to the difference.
  public var causes: [Cause] = []
  /// Octets that no cause explains: app minus wire.
  public var unexplained = 0

  /// App minus wire; nil unless both are known.
  public var difference: Int? {
    guard let app, let wire else { return nil }
    return app - wire
  }
}

/// What became of a row of the log, or of a message on the wire that has none.
public enum VerifiedStatus: String, Sendable, CaseIterable {
  /// Both are there.
  case matched
  /// Both are there, and another message is as likely the row's; where that one has other figures, the difference is not
  /// explained.
  case ambiguous
  /// The wire has no such message.
  case appOnly = "app_only"
  /// The log has no such row.
  case wireOnly = "wire_only"
}

/// A row of the log with its message, or one of them alone.
public struct VerifiedRow: Sendable {
  /// The log's row.
  public var entry: LogEntry?
  /// The message on the wire.
  public var message: WireMessage?
  /// Start-line.
  public var line = FigureComparison()
  /// Header section.
  public var header = FigureComparison()
  /// Body.
  public var body = FigureComparison()
  /// The whole message; a side that is absent counts as 0, so that these add up to the totals' difference.
  public var total = FigureComparison()

  /// What became of it.
  public var status: VerifiedStatus {
    entry == nil ? .wireOnly : message == nil ? .appOnly : isAmbiguous ? .ambiguous : .matched
  }
  /// Whether another message is as likely the row's.
  public var isAmbiguous = false
  /// Nanoseconds that the phases of the exchange took, as the log has them and as the wire has them; on the row that has them.
  public var phases: (app: ExchangeTimings, wire: ExchangeTimings)?
  /// Octets that no cause explains, of the whole message (app minus wire) or, where they are more, of its parts with signs removed:
  /// parts that are wrong do not become right by a sum that hides it.
  public var unexplained: Int {
    let parts = [line, header, body].map(\.unexplained)
    let (sum, size) = (parts.reduce(0, +), parts.reduce(0) { $0 + abs($1) })
    guard size > abs(total.unexplained) else { return total.unexplained }
    return abs(sum) == size ? sum : size
  }
  /// Host, of the wire where it is known there.
  public var host: String { message?.host ?? entry?.host ?? "" }
  /// Path, of the wire where it is known there.
  public var path: String { message?.path ?? entry?.path ?? "" }
}
