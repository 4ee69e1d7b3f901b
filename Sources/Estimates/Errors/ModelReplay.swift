import HTTPReassembly

/// Receives each model's estimate of each message, as soon as the message is final.
public protocol EstimateConsumer {
  /// The error that a consumer may throw.
  associatedtype Failure: Error
  /// Takes a message with each model's estimate, in the models' order; nil where a model cannot tell.
  mutating func take(_ message: WireMessage, _ estimates: [PartLengths?]) throws(Failure)
}

/// Has models estimate every message, and adds up their errors.
///
/// Every model gives 0 for an interim response: neither the URL loading system nor a HAR file shows them. No model gives a figure
/// for a message that is not whole (`WireMessage.isWhole`).
public struct ModelReplay<Consumer: EstimateConsumer>: WireMessageConsumer {
  /// The error that the consumer throws.
  public typealias Failure = Consumer.Failure

  /// The errors so far.
  public private(set) var errors: ModelErrors
  /// The errors of messages whose exchange was selected; nil without a selection (`selectsExchanges`).
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
  ///   - assumptions: The facts about the app that are taken for granted.
  ///   - configuration: The grouping of errors.
  ///   - consumer: Receives the estimates.
  public init(
    _ names: [ModelName], _ assumptions: ModelAssumptions, configuration: Configuration, consumer: Consumer?
  ) {
    self.assumptions = assumptions
    self.consumer = consumer
    models = names.map { $0.model(assumptions) }
    errors = ModelErrors(names, configuration: configuration)
  }

  /// Adds up the errors of selected exchanges, too. `exchange` tells for each exchange whether it is selected.
  ///
  /// Messages beyond `ModelErrors.waitingLimit` that wait for that are left out.
  ///
  /// - Parameter configuration: The grouping of errors.
  public mutating func selectExchanges(_ configuration: Configuration) {
    selectedErrors = ModelErrors(errors.models, configuration: configuration)
  }

  /// Takes note that an exchange is final, and so are its messages.
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
