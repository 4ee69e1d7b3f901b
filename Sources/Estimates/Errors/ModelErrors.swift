import HTTPReassembly
import Packets

/// The errors of models: of all messages, and by API.
///
/// Memory: some 200 octets a model for each of at most `apiLimit` APIs, and at most `nameLimit` octets of their names. Beyond a
/// limit messages are counted under their host alone, and beyond an eighth more under no name. No octet is lost.
public struct ModelErrors: Sendable {
  /// APIs with sums of their own: some tens of MiB with all models, and more than a person reads.
  public static let apiLimit = 1 << 14
  /// Octets of all APIs' names together: 1 KiB each at the largest number of APIs.
  public static let nameLimit = 16 << 20
  /// Messages that may wait until it is known whether their exchange is selected: some 15 MiB with all models, and their names.
  public static let waitingLimit = 1 << 14

  /// A model's errors of all messages of one direction.
  public struct Overall: Sendable {
    /// The sums.
    public internal(set) var sums = ErrorSums()
    /// The message with the largest error of each part.
    public internal(set) var worst: [MessagePart: WorstError] = [:]
  }

  /// The models, in order.
  public let models: [ModelName]
  /// Requests, by model.
  public private(set) var requests: [Overall]
  /// Final and interim responses, by model.
  public private(set) var responses: [Overall]
  /// By API, in the order in which they came.
  public private(set) var apis: [APIErrors] = []
  /// Messages that were counted under their host, or under none, because there were too many APIs.
  public private(set) var messagesBeyondLimit = 0

  private struct Name: Hashable {
    var host: [UInt8]
    var path: [UInt8]
    var method: [UInt8]

    var length: Int { host.count + path.count + method.count }

    /// As whole runs of octets: interim responses share paths of 60 KB, and each is a message.
    func hash(into hasher: inout Hasher) {
      host.withOctets { $0.hash(into: &hasher) }
      path.withOctets { $0.hash(into: &hasher) }
      method.withOctets { $0.hash(into: &hasher) }
    }
  }

  private var indices: [Name: Int] = [:]
  private let grouping: Configuration.Grouping
  private let templates: PathTemplates
  private var segments: SegmentGuard
  private let limit: Int
  private var nameLength = 0

  /// No errors yet.
  public init(_ models: [ModelName], configuration: Configuration) {
    self.init(models, configuration: configuration, limit: Self.apiLimit)
  }

  package init(_ models: [ModelName], configuration: Configuration, limit: Int) {
    self.models = models
    requests = models.map { _ in Overall() }
    responses = models.map { _ in Overall() }
    grouping = configuration.grouping
    templates = PathTemplates(configuration)
    segments = SegmentGuard(configuration)
    self.limit = limit
  }

  /// The APIs in the order of host, path and method as octets.
  public var sortedAPIs: [APIErrors] {
    apis.sorted { a, b in
      for (mine, other) in [(a.host, b.host), (a.path, b.path), (a.method, b.method)] where mine != other {
        return mine.lexicographicallyPrecedes(other)
      }
      return false
    }
  }

  /// Adds each model's estimate of a message, in the models' order.
  mutating func add(_ message: WireMessage, _ estimates: [PartLengths?]) { add(EstimatedMessage(message, estimates)) }

  /// Adds a message.
  mutating func add(_ message: EstimatedMessage) {
    let (wire, number) = (message.wire, message.number)
    let index = index(of: message)
    switch message.kind {
    case .request: apis[index].requests += 1
    case .response: apis[index].responses += 1
    case .interim: apis[index].interim += 1
    }
    for (model, estimate) in message.estimates.enumerated() {
      if message.kind == .request {
        apis[index].request[model].add(number, wire: wire, estimate: estimate)
        requests[model].add(number, wire: wire, estimate: estimate)
      } else {
        apis[index].response[model].add(number, wire: wire, estimate: estimate)
        responses[model].add(number, wire: wire, estimate: estimate)
      }
    }
  }

  private mutating func index(of message: EstimatedMessage) -> Int {
    var path = grouping.path ? message.path : []
    if !path.isEmpty { path = templates.template(of: path, host: message.host, &segments) }
    var name = Name(host: message.host, path: path, method: grouping.method ? Array(message.method.utf8) : [])
    if let index = indices[name] { return index }
    if !hasRoom(for: name, beyond: 0) {
      messagesBeyondLimit += 1
      name = Name(host: name.host, path: [], method: [])
      if let index = indices[name] { return index }
      if !hasRoom(for: name, beyond: 8) { name = Name(host: [], path: [], method: []) }
      if let index = indices[name] { return index }
    }
    let none = models.map { _ in ErrorSums() }
    apis.append(APIErrors(host: name.host, path: name.path, method: name.method, request: none, response: none))
    indices[name] = apis.count - 1
    nameLength += name.length
    return apis.count - 1
  }

  /// Whether another API is within the limits, or within a `share`-th beyond them; 0 allows none beyond.
  private func hasRoom(for name: Name, beyond share: Int) -> Bool {
    let (count, length) = share == 0 ? (0, 0) : (limit / share, Self.nameLimit / share)
    return apis.count < limit + count && nameLength + name.length <= Self.nameLimit + length
  }
}

extension ModelErrors.Overall {
  fileprivate mutating func add(_ message: Int, wire: PartLengths, estimate: PartLengths?) {
    sums.add(message, wire: wire, estimate: estimate)
    guard let estimate else { return }
    let error = estimate - wire
    for part in MessagePart.allCases { worst[part, default: WorstError()].note(error[part], of: message) }
  }
}
