/// Keeps every message of a capture for the comparison with a log, up to a limit.
public struct WireTable: WireMessageConsumer {
  /// Nothing is thrown.
  public typealias Failure = Never

  /// Messages kept: some 2 KiB each with their field lines.
  public static let limit = 500_000
  /// The messages, in the order of their numbers once `sort` was called.
  public private(set) var messages: [WireMessage] = []
  /// Messages that did not fit.
  public private(set) var dropped = 0

  /// An empty table.
  public init() {}

  /// Keeps a message.
  public mutating func take(_ message: WireMessage) {
    guard messages.count < Self.limit else {
      dropped += 1
      return
    }
    messages.append(message)
  }

  /// Puts the messages in the order of their numbers.
  public mutating func sort() { messages.sort { $0.row.number < $1.row.number } }
}
