/// What an `HTTP1Parser` finds in a stream, in the stream's order.
///
/// Octets are passed on as counts wherever nobody needs to see them. `Context` is handed through untouched, so that
/// the consumer can keep what belongs to the connection and borrow what belongs to the run.
protocol HTTP1Events {
  associatedtype Context

  /// How much of a stream is looked at.
  func limits(_ context: borrowing Context) -> HTTP1Limits
  /// The octets of a stream from `offset` on come between messages. Takes the head of a message that they start with, if it is
  /// one that the consumer takes at once, and returns its octets and how its body is framed; nil, and nothing has happened,
  /// when the parser has to read it.
  mutating func head(
    _ octets: RawSpan, from offset: Int, at start: LineStart, _ context: inout Context
  ) -> (length: Int, framing: BodyFraming)?
  /// A message starts: `length` octets of start-line, terminator included, of which `line` (without terminator) are
  /// known. False if the line cannot start a message in this stream.
  mutating func startLine(
    _ startLine: StartLine, _ line: RawSpan, length: Int, at start: LineStart, _ context: inout Context
  ) -> Bool
  /// A field line of the header section, unfolded, without terminator, and where its parts are; nil when it is none. Its
  /// octets are counted separately.
  mutating func fieldLine(_ line: RawSpan, _ field: FieldLine?, isASCII: Bool, _ context: inout Context)
  /// The header section is complete.
  mutating func endOfHeaders(_ context: inout Context) -> BodyFraming
  /// Content octets.
  mutating func body(_ octets: RawSpan, _ context: inout Context)
  /// Content octets that are in the packets but beyond the snap length.
  mutating func unseenBody(_ count: Int, _ context: inout Context)
  /// Content octets that were never captured.
  mutating func missingBody(_ count: Int, _ context: inout Context)
  /// A line of the current message is complete that came in several packets.
  mutating func noteTimes(of line: LineStart, _ context: inout Context)
  /// Octets of the current message that are no content.
  mutating func count(_ count: Int, as part: FramedPart, _ context: inout Context)
  /// The message is complete, and ends before `position`. Says what follows.
  mutating func endOfMessage(at position: StreamPosition, _ context: inout Context) -> AfterMessage
  /// The message stops before `position` without its end having been seen; with `isLoss`, because the octets that follow cannot
  /// be read, and more of it may come.
  mutating func brokenMessage(
    at position: StreamPosition, _ flags: MessageFlags, isLoss: Bool, _ context: inout Context)
  /// Octets that belong to no message.
  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context)
  /// Octets of a line that was incomplete and is given up, in no message: the packet being read may not be theirs.
  mutating func droppedLine(_ count: Int, as reason: OutsideReason, _ context: inout Context)
  /// Octets at a position where framing was lost, in no message that could be told.
  mutating func lostOctets(
    _ count: Int, at position: StreamPosition, as reason: OutsideReason, _ context: inout Context)
  /// Octets that were never captured, in no message that could be told.
  mutating func missingOutsideMessages(_ count: Int, _ context: inout Context)
  /// Octets that are in the packets but beyond the snap length, in no message that could be told.
  mutating func unseenOutsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context)

  /// The first position between two others where a message may start, because the other side has acknowledged exactly what comes
  /// before.
  func nextBoundary(
    after position: StreamPosition, before end: StreamPosition, _ context: borrowing Context
  ) -> StreamPosition?
  /// Where the octets of a stream, from `offset` on, come to the end of a header section, if that of a request without content can be
  /// the only one: there the next request starts.
  func nextRequest(in octets: RawSpan, from offset: Int, _ context: borrowing Context) -> Int?
  /// Whether a message may start at a position where framing was lost, as far as acknowledgments tell: the octets may go on with
  /// one before.
  func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ context: borrowing Context) -> Bool
  /// What looks like a message where framing was lost does not start one, as far as acknowledgments tell.
  mutating func refusedStart(_ context: inout Context)
  /// The message that has just started was found after framing had been lost.
  mutating func resynchronized(at start: LineStart, _ context: inout Context)
  /// Whether what looks like a status-line, right behind the header section of a response whose request is not known, may start
  /// the next response.
  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ context: borrowing Context) -> Bool
  /// No content follows the header section of a response whose request is not known.
  mutating func hasNoContent(_ context: inout Context)
  /// The response whose request is not known answers CONNECT: what follows is another protocol's.
  mutating func opensTunnel(_ context: inout Context)
  /// Something odd.
  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ context: inout Context)
}

/// How much of a stream a parser looks at, in octets.
struct HTTP1Limits {
  /// Octets of one line that are kept to be understood.
  var line: Int
  /// Octets of the first line of a stream that are looked at to tell whether it is HTTP.
  var probe: Int
}

/// The parts of a message beside its start-line and content.
enum FramedPart: UInt8 {
  case header
  case framing
  case trailer
}

/// Why octets belong to no message.
enum OutsideReason: UInt8 {
  /// In a stream that is HTTP: before, between or after messages.
  case stray
  /// In a stream that has not shown to be HTTP.
  case undecided
  /// After CONNECT or Upgrade.
  case tunnel
}

/// What a stream goes on with after a message.
enum AfterMessage: UInt8 {
  /// The next message.
  case message
  /// The next message, once the other side has been read up to where it waited for this one.
  case pause
  /// Unknown until the other side has answered: a request for CONNECT or Upgrade.
  case answer
  /// Another protocol.
  case tunnel
}

/// Where a line starts: its position in the stream, and the packet that brought its first octet.
struct LineStart {
  var position: StreamPosition
  /// Its time is that of the earliest packet with octets of the line: packets are reordered.
  var arrival: SegmentArrival
  /// Capture time of the latest packet with octets of the line, in nanoseconds since the Unix epoch.
  var latest: Int64

  init(position: StreamPosition, arrival: SegmentArrival) {
    self.position = position
    self.arrival = arrival
    latest = arrival.time
  }

  /// A packet has brought more of the line.
  mutating func note(_ time: Int64) {
    if time < arrival.time { arrival.time = time }
    if time > latest { latest = time }
  }
}
