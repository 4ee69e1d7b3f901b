/// The events that an `HTTP1Parser` finds in a stream, in the stream's order.
///
/// Octets are passed as counts unless their contents matter. `Context` is passed through unchanged. The consumer can thus
/// own the state of the connection, and borrow the state of the run.
protocol HTTP1Events {
  associatedtype Context

  /// The number of octets that the parser inspects.
  func limits(_ context: borrowing Context) -> HTTP1Limits
  /// Takes the head of a message at `offset`, between messages.
  ///
  /// Returns the head's octets and the framing of its body, if the consumer takes the head at once. Returns nil and changes
  /// nothing if the parser has to read it.
  mutating func head(
    _ octets: RawSpan, from offset: Int, at start: LineStart, _ context: inout Context
  ) -> (length: Int, framing: BodyFraming)?
  /// Starts a message with a start-line of `length` octets, including the terminator.
  ///
  /// `line` has its known octets, without terminator. Returns false if the line cannot start a message in this stream.
  mutating func startLine(
    _ startLine: StartLine, _ line: RawSpan, length: Int, at start: LineStart, _ context: inout Context
  ) -> Bool
  /// Takes a field line of the header section, unfolded and without terminator.
  ///
  /// `field` has the ranges of its parts; nil when it is not a field line. Its octets are counted separately.
  mutating func fieldLine(_ line: RawSpan, _ field: FieldLine?, isASCII: Bool, _ context: inout Context)
  /// Ends the header section, and returns the framing of the body.
  mutating func endOfHeaders(_ context: inout Context) -> BodyFraming
  /// Takes content octets.
  mutating func body(_ octets: RawSpan, _ context: inout Context)
  /// Takes content octets in packets beyond the snap length.
  mutating func unseenBody(_ count: Int, _ context: inout Context)
  /// Takes content octets that were never captured.
  mutating func missingBody(_ count: Int, _ context: inout Context)
  /// Takes the times of a complete line of the current message that came in several packets.
  mutating func noteTimes(of line: LineStart, _ context: inout Context)
  /// Counts octets of the current message that are not content.
  mutating func count(_ count: Int, as part: FramedPart, _ context: inout Context)
  /// Ends the complete message before `position`. Returns the continuation of the stream.
  mutating func endOfMessage(at position: StreamPosition, _ context: inout Context) -> AfterMessage
  /// Stops the message before `position`. Its end has not been seen.
  ///
  /// Behind a loss, the following octets may belong to it.
  mutating func brokenMessage(
    at position: StreamPosition, _ flags: MessageFlags, by cause: MessageBreak, _ context: inout Context)
  /// Takes octets that belong to no message.
  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context)
  /// Takes octets of an incomplete line that is given up, outside messages. They may not be from the current packet.
  mutating func droppedLine(_ count: Int, as reason: OutsideReason, _ context: inout Context)
  /// Takes octets at a position where framing was lost, in no known message.
  mutating func lostOctets(
    _ count: Int, at position: StreamPosition, as reason: OutsideReason, _ context: inout Context)
  /// Takes octets that were never captured, in no known message.
  mutating func missingOutsideMessages(_ count: Int, _ context: inout Context)
  /// Takes octets in packets beyond the snap length, in no known message.
  mutating func unseenOutsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context)

  /// The first position between two others where a message may start.
  ///
  /// The other side has acknowledged exactly the octets before it.
  func nextBoundary(
    after position: StreamPosition, before end: StreamPosition, _ context: borrowing Context
  ) -> StreamPosition?
  /// The end of a header section in the octets from `offset` on; nil without one.
  ///
  /// It must be the only possible end of a request without content. The next request starts there.
  func nextRequest(in octets: RawSpan, from offset: Int, _ context: borrowing Context) -> Int?
  /// Whether acknowledgments allow a message to start at a position where framing was lost.
  ///
  /// The octets may also continue an earlier message.
  mutating func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ context: borrowing Context) -> Bool
  /// Notes that acknowledgments refuse an apparent message start where framing was lost.
  mutating func refusedStart(_ context: inout Context)
  /// Notes that the message that has just started was found after framing was lost.
  mutating func resynchronized(at start: LineStart, _ context: inout Context)
  /// Whether an apparent status-line may start the next response.
  ///
  /// It comes directly behind the header section of a response whose request is unknown.
  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ context: borrowing Context) -> Bool
  /// Whether the current request has a final response that is no success, so that its content may not be sent.
  func isRefused(_ context: borrowing Context) -> Bool
  /// Notes that no content follows the header section of a response whose request is unknown, or of a refused request. Unless `isCertain`, the
  /// following octets may be its content, too.
  mutating func hasNoContent(isCertain: Bool, _ context: inout Context)
  /// Notes that the response answers CONNECT, although its request is unknown. Another protocol follows.
  mutating func opensTunnel(_ context: inout Context)
  /// Counts an anomaly.
  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ context: inout Context)
}

/// The reason why a message breaks off.
enum MessageBreak: UInt8 {
  /// The following octets cannot be read.
  case loss
  /// Its sender has ended the stream.
  case end
  /// Its framing is in error, or the capture has no more of it.
  case other
}

/// The number of octets of a stream that a parser inspects.
struct HTTP1Limits {
  /// The maximum number of kept octets of one line.
  var line: Int
  /// The number of octets of a stream's first line that show whether it is HTTP.
  var probe: Int
}

/// The parts of a message besides its start-line and content.
enum FramedPart: UInt8 {
  case header
  case framing
  case trailer
}

/// The reason why octets belong to no message.
enum OutsideReason: UInt8 {
  /// In a stream that is HTTP: before, between or after messages.
  case stray
  /// In a stream that has not proved to be HTTP.
  case undecided
  /// After CONNECT or Upgrade.
  case tunnel
}

/// The continuation of a stream after a message.
enum AfterMessage: UInt8 {
  /// The next message.
  case message
  /// The next message, after the other side has been read up to the point where it waited for this one.
  case pause
  /// Unknown until the other side has answered a request for CONNECT or Upgrade.
  case answer
  /// Another protocol.
  case tunnel
}

/// The start of a line: its position in the stream, and the packet that brought its first octet.
struct LineStart {
  var position: StreamPosition
  /// Its time is the time of the earliest packet with octets of the line, since packets may be reordered.
  var arrival: SegmentArrival
  /// The capture time of the latest packet with octets of the line, in nanoseconds since the Unix epoch.
  var latest: Int64

  init(position: StreamPosition, arrival: SegmentArrival) {
    self.position = position
    self.arrival = arrival
    latest = arrival.time
  }

  /// Notes a packet that has brought more of the line.
  mutating func note(_ time: Int64) {
    if time < arrival.time { arrival.time = time }
    if time > latest { latest = time }
  }
}
