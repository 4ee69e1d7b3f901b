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
  /// Those of messages whose exchange was selected; nil where nothing is (`selectsExchanges`).
  public private(set) var selectedErrors: ModelErrors?
  /// Receives the estimates; nil when only the errors are wanted.
  public var consumer: Consumer?
  private let assumptions: ModelAssumptions
  private let models: [any TrafficModel]
  /// Messages whose exchange is not final yet. Memory: some 900 octets for each with all models, and its names.
  private var waiting: [Int: [EstimatedMessage]] = [:]
  private var waitingCount = 0

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

  /// Adds up errors of selected exchanges, too: `exchange` says of each whether it is one.
  ///
  /// Messages beyond `ModelErrors.waitingLimit` that wait for that are left out.
  ///
  /// - Parameter configuration: What the errors are grouped by.
  public mutating func selectExchanges(_ configuration: Configuration) {
    selectedErrors = ModelErrors(errors.models, configuration: configuration)
  }

  /// An exchange is final, and so are its messages.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - isSelected: Whether its messages count among the selected ones.
  public mutating func exchange(_ number: Int, isSelected: Bool) {
    guard let messages = waiting.removeValue(forKey: number) else { return }
    waitingCount -= messages.count
    guard isSelected else { return }
    for message in messages { selectedErrors?.add(message) }
  }

  /// Estimates a message.
  public mutating func take(_ message: WireMessage) throws(Consumer.Failure) {
    let estimates = estimates(of: message)
    errors.add(message, estimates)
    let exchange = message.row.exchange
    if selectedErrors != nil, exchange != 0, waitingCount < ModelErrors.waitingLimit {
      waiting[exchange, default: []].append(EstimatedMessage(message, estimates))
      waitingCount += 1
    }
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
