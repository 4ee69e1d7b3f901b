/// The octets between two messages of a stream with gaps, to judge how many messages they can hold.
struct MessageInterval {
  /// Octets from the end of the earlier message to the start of this one; -1 if unknown.
  var length: Int32 = -1
  /// Whether the earlier message ended as its framing says, so that the next octets belong to another message.
  var isBehindWhole = false

  /// Whether the interval certainly holds a message: one begins and ends in it.
  var holdsMessage: Bool { isBehindWhole && length >= Self.shortestMessage }

  /// Whether the interval may hold more messages than the certain one. `shortest` is the shortest known message of its side; nil if too few
  /// are known.
  func holdsMore(thanCertain shortest: Int?) -> Bool {
    guard length >= 0, let shortest else { return true }
    // A message that lost its framing has at least one octet in the gap.
    return holdsMessage ? length >= 2 * shortest : length > shortest
  }

  /// Octets of the shortest start-line and the empty line after it. A shorter interval may be an extra line terminator.
  static var shortestMessage: Int { 18 }
}

/// The lengths of requests from a client that pipelines and sends no content.
struct RequestLengths {
  private var least: UInt16 = .max
  /// The number of requests counted, up to `enough`; larger once a request had content.
  private var count: UInt8 = 0

  /// Takes the length of a request that directly follows another.
  mutating func note(_ length: Int) {
    least = min(least, UInt16(clamping: length))
    if count < Self.enough { count += 1 }
  }

  /// Notes that a request has content.
  mutating func noteContent() { count = .max }

  /// Octets of the shortest request; nil if too few are known, or one had content.
  var shortest: Int? { count == Self.enough ? Int(least) : nil }

  /// Requests after which all requests of the client are assumed to be alike.
  private static var enough: UInt8 { 8 }
}
