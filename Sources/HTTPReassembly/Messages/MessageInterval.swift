/// What is between a message and the one before it in a stream with holes: how many messages can it hold?
struct MessageInterval {
  /// Octets from the end of the message before to the start of this one; -1 where that is not known.
  var length: Int32 = -1
  /// Whether the message before ended where its framing says, so that what follows is another message's.
  var isBehindWhole = false

  /// Whether it holds at least one message for certain: it begins and ends with one.
  var holdsMessage: Bool { isBehindWhole && length >= Self.shortestMessage }

  /// Whether it may hold more messages than the certain one, by the shortest one that is known of its side; nil when too few
  /// are known.
  func holdsMore(thanCertain shortest: Int?) -> Bool {
    guard length >= 0, let shortest else { return true }
    // Of a message that has lost its framing at least an octet is in the hole.
    return holdsMessage ? length >= 2 * shortest : length > shortest
  }

  /// Octets of the shortest start-line with the empty line behind it: what is less may be a line terminator too many.
  static var shortestMessage: Int { 18 }
}

/// How long the requests of a client are that pipelines, and sends no content.
struct RequestLengths {
  private var least: UInt16 = .max
  /// Requests that were looked at, up to `enough`; more once one had content.
  private var count: UInt8 = 0

  /// Takes the length of a request that directly follows another one.
  mutating func note(_ length: Int) {
    least = min(least, UInt16(clamping: length))
    if count < Self.enough { count += 1 }
  }

  /// A request has content.
  mutating func noteContent() { count = .max }

  /// Octets of the shortest one; nil as long as too few are known, and where any had content.
  var shortest: Int? { count == Self.enough ? Int(least) : nil }

  /// Requests after which the client's are taken to be alike.
  private static var enough: UInt8 { 8 }
}
