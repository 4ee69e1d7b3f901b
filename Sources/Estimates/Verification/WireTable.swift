import HTTPReassembly

/// Keeps the messages of a capture for the comparison with a log, up to a limit of memory.
public struct WireTable: WireMessageConsumer {
  /// Keeping a message never fails.
  public typealias Failure = Never

  /// Octets of memory that messages may take with what a comparison keeps of them: 4.5 KiB for a usual message.
  public static let memoryLimit = 2 << 30
  /// The messages; `sort` orders them by number.
  public private(set) var messages: [WireMessage] = []
  /// The first message that did not fit, and all later ones; nil when all fitted.
  public private(set) var leftOut: LeftOut?
  /// Durations of the exchanges' phases, by number, for all exchanges, or for as many as messages where some do not fit.
  public private(set) var timings: [Int: ExchangeTimings] = [:]
  /// The number of connections of TLS that were not opened, by the name of the server, for at most 1,000 names.
  public private(set) var closed: [String: Int] = [:]
  private let memoryLimit: Int
  private var memory = 0

  /// Messages that are not kept.
  public struct LeftOut: Sendable, Equatable {
    /// The number of messages.
    public internal(set) var count = 0
    /// Their octets.
    public internal(set) var octets = 0
    /// The time of the earliest one's first octet, in nanoseconds since the Unix epoch.
    public internal(set) var firstTime = Int64.max
  }

  /// An empty table.
  public init() { self.init(memoryLimit: Self.memoryLimit) }

  package init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

  /// Keeps a message.
  public mutating func take(_ message: WireMessage) {
    if leftOut == nil {
      memory += message.memory
      guard memory > memoryLimit else { return messages.append(message) }
    }
    var leftOut = leftOut ?? LeftOut()
    leftOut.count += 1
    leftOut.octets += message.row.octets.total
    leftOut.firstTime = min(leftOut.firstTime, message.row.firstTime)
    self.leftOut = leftOut
  }

  /// Keeps the phases of an exchange.
  public mutating func take(_ exchange: Exchange) {
    if leftOut == nil || timings.count < messages.count { timings[exchange.number] = exchange.timings }
  }

  /// Keeps the name of a server whose connection was not opened.
  public mutating func take(closed server: String) {
    let name = closed.count < 1000 || closed[server] != nil ? server : ""
    closed[name, default: 0] += 1
  }

  /// Puts the messages in the order of their numbers.
  public mutating func sort() { messages.sort { $0.row.number < $1.row.number } }
}
