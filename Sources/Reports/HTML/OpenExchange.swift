import HTTPReassembly

/// The parts of an exchange's messages. Lengths are octets.
struct ExchangeParts {
  /// The request's parts.
  var up = APIOctets()
  /// The parts of the final response and of the interim ones before it.
  var down = APIOctets()
  /// Position of the response's media type in `ContentTypes`, else of the request's; nil when both have none.
  var contentType: Int?
  /// The endpoint that opened the connection.
  var client: Endpoint
  /// The other endpoint.
  var server: Endpoint
  /// Octets of the response's content without its codings; nil if unknown.
  var decodedBody: Int?
  /// Octets of the messages that were not captured.
  var missing = 0
  /// The reliability of the counts: the lowest of all messages.
  var exactness = Exactness.exact
  /// The anomaly flags of all messages.
  var flags: MessageFlags = []
  /// The directions of a WebSocket; most exchanges open none.
  var frames: [(isFromServer: Bool, facts: WebSocketFacts)] = []

  init(_ message: Message) {
    client = message.client
    server = message.server
  }

  /// Adds a message, with the frames of the WebSocket that it opened.
  mutating func add(_ message: Message, contentType: Int?, _ facts: WebSocketFacts?) {
    if let facts { frames.append((message.isFromServer, facts)) }
    if message.kind == .request {
      up.add(message)
    } else {
      down.add(message)
    }
    if message.kind == .response {
      decodedBody = message.decodedBody
      self.contentType = contentType ?? self.contentType
    } else {
      self.contentType = self.contentType ?? contentType
    }
    missing += message.missing
    if message.exactness.rawValue > exactness.rawValue { exactness = message.exactness }
    flags.formUnion(message.flags)
  }
}

/// Media types, lower-case and without their parameters, each with a small number.
struct ContentTypes {
  /// The names by number. 0 stands for all that are beyond the limit or too long.
  private(set) var names: [[UInt8]] = [[]]
  /// The figures of messages with each type. The part is content with a known length without codings, at that length.
  private(set) var figures: [AddedFigures] = [AddedFigures()]
  /// The figures of content without a type.
  private(set) var untyped = AddedFigures()
  /// The numbers by fields' values; several may be the same type.
  private var numbers: [[UInt8]: Int] = [:]

  /// The number of a field's value; nil for an empty one.
  mutating func number(of value: [UInt8]) -> Int? {
    guard !value.isEmpty else { return nil }
    if let number = numbers[value] { return number }
    guard value.count <= PageLimits.contentTypeLength, numbers.count < 4 * PageLimits.contentTypes else { return 0 }
    let name = Self.mediaType(value)
    guard !name.isEmpty else { return nil }
    var number = names.dropFirst().firstIndex(of: name) ?? 0
    if number == 0, names.count <= PageLimits.contentTypes {
      number = names.count
      names.append(name)
      figures.append(AddedFigures())
    }
    numbers[value] = number
    return number
  }

  /// Adds a message's content. `number` is nil for a message without a type, which may have no content at all.
  mutating func add(_ message: Message, to number: Int?) {
    let (octets, decoded) = (message.octets.body, message.decodedBody)
    if let number {
      figures[number].add(octets, partCount: decoded == nil ? 0 : 1, partOctets: decoded ?? 0)
    } else if octets > 0 {
      untyped.add(octets, partCount: decoded == nil ? 0 : 1, partOctets: decoded ?? 0)
    }
  }

  /// The type and subtype of a field's value (RFC 9110 §8.3.1), which are case-insensitive.
  private static func mediaType(_ value: [UInt8]) -> [UInt8] {
    var name = value.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    while let last = name.last, last == UInt8(ascii: " ") || last == 0x09 { name.removeLast() }
    return name.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
  }
}
