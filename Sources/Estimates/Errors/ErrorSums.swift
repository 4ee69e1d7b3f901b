/// A model's figures for some messages of one direction, beside their octets on the wire.
public struct ErrorSums: Sendable {
  /// Messages with an estimate.
  public private(set) var messages = 0
  /// Messages without an estimate; they are in none of the figures.
  public private(set) var unknown = 0
  /// The messages' octets on the wire.
  public private(set) var wire = PartLengths()
  /// The model's figures for them.
  public private(set) var estimate = PartLengths()
  /// The message with the largest error of the total.
  public private(set) var worst = WorstError()

  /// No messages.
  public init() {}

  /// Estimate less wire.
  public var error: PartLengths { estimate - wire }

  /// Adds a message.
  mutating func add(_ message: Int, wire: PartLengths, estimate: PartLengths?) {
    guard let estimate else {
      unknown += 1
      return
    }
    messages += 1
    self.wire.add(wire)
    self.estimate.add(estimate)
    worst.note((estimate - wire).total, of: message)
  }
}

/// The largest error, whatever its sign, and the number of its message or API.
public struct WorstError: Sendable, Equatable {
  /// The error in octets, with its sign; 0 when nothing has one.
  public private(set) var error = 0
  /// The number of the message or the position of the API; nil when nothing has been noted.
  public private(set) var number: Int?

  /// Nothing noted.
  public init() {}

  /// Notes an error. Among errors of the same size the lowest number stays, so that the order does not matter.
  public mutating func note(_ error: Int, of number: Int) {
    let isWorse = error.magnitude > self.error.magnitude
    guard isWorse || (error.magnitude == self.error.magnitude && number < self.number ?? .max) else { return }
    self.error = error
    self.number = number
  }
}
