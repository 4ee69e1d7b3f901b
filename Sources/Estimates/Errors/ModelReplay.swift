import HTTPReassembly

/// Receives what each model says of each message, as soon as the message is final.
public protocol EstimateConsumer {
  /// What a consumer may throw.
  associatedtype Failure: Error
  /// A message with what each model says of it, in the models' order; nil where a model cannot tell.
  mutating func take(_ message: WireMessage, _ estimates: [PartLengths?]) throws(Failure)
}

/// Has models estimate every message, and adds up their errors.
///
/// Every model says 0 of an interim response: neither the URL loading system nor a HAR file shows them. Of a message that is
/// not known as far as it matters (`WireMessage.isWhole`) no model says anything.
public struct ModelReplay<Consumer: EstimateConsumer>: WireMessageConsumer {
  /// What the consumer throws.
  public typealias Failure = Consumer.Failure

  /// The errors so far.
  public private(set) var errors: ModelErrors
  /// Receives the estimates; nil when only the errors are wanted.
  public var consumer: Consumer?
  private let assumptions: ModelAssumptions
  private let models: [any TrafficModel]

  /// Replays `names`, in their order.
  ///
  /// - Parameters:
  ///   - names: The models.
  ///   - assumptions: What is taken for granted of the app.
  ///   - configuration: What the errors are grouped by.
  ///   - consumer: Receives the estimates.
  public init(
    _ names: [ModelName], _ assumptions: ModelAssumptions, configuration: Configuration, consumer: Consumer?
  ) {
    self.assumptions = assumptions
    self.consumer = consumer
    models = names.map { $0.model(assumptions) }
    errors = ModelErrors(names, configuration: configuration)
  }

  /// Estimates a message.
  public mutating func take(_ message: WireMessage) throws(Consumer.Failure) {
    let estimates = estimates(of: message)
    errors.add(message, estimates)
    try consumer?.take(message, estimates)
  }

  private func estimates(of message: WireMessage) -> [PartLengths?] {
    guard message.row.kind != .interim else { return models.map { _ in PartLengths() } }
    guard message.isWhole else { return models.map { _ in nil } }
    if message.row.kind == .request {
      let request = SeenRequest(message, assumptions)
      return models.map { $0.request(request) }
    }
    let response = SeenResponse(message, assumptions)
    return models.map { $0.response(response) }
  }
}
