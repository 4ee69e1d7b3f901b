import HTTPReassembly

/// One figure of one message: the app's beside the wire's, in octets, and the causes of the difference.
public struct FigureComparison: Sendable, Equatable {
  /// The app's figure; nil when its log has none.
  public var app: Int?
  /// The wire's figure; nil when there is no message.
  public var wire: Int?
  /// The causes of the difference. Their octets and `unexplained` add up to it.
  public var causes: [Cause] = []
  /// Octets that no cause explains: app minus wire.
  public var unexplained = 0

  /// App minus wire; nil unless both are known.
  public var difference: Int? {
    guard let app, let wire else { return nil }
    return app - wire
  }
}

/// The result for a row of the log, or for a message on the wire without one.
public enum VerifiedStatus: String, Sendable, CaseIterable {
  /// The row has its message.
  case matched
  /// The row has its message, but another message is as likely. If that one has other figures, the difference is not explained.
  case ambiguous
  /// The wire has no message for the row.
  case appOnly = "app_only"
  /// The log has no row for the message.
  case wireOnly = "wire_only"
}

/// A row of the log with its message, or one of them alone.
public struct VerifiedRow: Sendable {
  /// The log's row.
  public var entry: LogEntry?
  /// The message on the wire.
  public var message: WireMessage? {
    get { heldMessage?.message }
    set { heldMessage = newValue.map(HeldMessage.init) }
  }
  /// A message takes twice the memory of all else in a row, and a row of a long log may have none.
  private var heldMessage: HeldMessage?

  private final class HeldMessage: Sendable {
    let message: WireMessage
    init(_ message: WireMessage) { self.message = message }
  }

  /// Start-line.
  public var line = FigureComparison()
  /// Header section.
  public var header = FigureComparison()
  /// Body.
  public var body = FigureComparison()
  /// The whole message; a side that is absent counts as 0, so that these add up to the totals' difference.
  public var total = FigureComparison()

  /// The causes of the whole message's difference, or those of its parts where the log has no figure of the whole.
  public var causes: [Cause] {
    guard entry != nil, message != nil, total.app == nil else { return total.causes }
    let parts = (line.causes + header.causes + body.causes).netted
    // A start-line that counts in the header section has no figure of its own: that is no difference of the whole.
    return parts.filter { $0.kind != .lineInHeader || line.app != nil } + total.causes
  }

  /// The result.
  public var status: VerifiedStatus {
    entry == nil ? .wireOnly : message == nil ? .appOnly : isAmbiguous ? .ambiguous : .matched
  }
  /// Whether another message is as likely for the row.
  public var isAmbiguous = false
  /// Durations of the exchange's phases in nanoseconds, in the log and on the wire; nil on other rows.
  public var phases: (app: ExchangeTimings, wire: ExchangeTimings)?
  /// Octets that no cause explains: those of the whole message (app minus wire), or the sum of its parts' absolute values if
  /// larger. So opposite errors of parts do not hide each other.
  public var unexplained: Int {
    let parts = [line, header, body].map(\.unexplained)
    let (sum, size) = (parts.reduce(0, +), parts.reduce(0) { $0 + abs($1) })
    guard size > abs(total.unexplained) else { return total.unexplained }
    return abs(sum) == size ? sum : size
  }

  /// A row with what is known of it, and no figures yet.
  init(entry: LogEntry? = nil, message: WireMessage? = nil) {
    self.entry = entry
    self.message = message
  }

  /// The host: the wire's if known, else the log's.
  public var host: String { message?.host ?? entry?.host ?? "" }
  /// The path: the wire's if known, else the log's.
  public var path: String { message?.path ?? entry?.path ?? "" }
}
