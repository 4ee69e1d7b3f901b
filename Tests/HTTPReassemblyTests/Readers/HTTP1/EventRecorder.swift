@testable import HTTPReassembly

/// Writes down what an `HTTP1Parser` finds, with the offsets of the octets: adjacent octets of one kind are one event, so that it
/// does not matter how a stream is cut.
struct EventRecorder: HTTP1Events {
  /// What a message is framed by, which the conversation decides in the program.
  typealias Context = [BodyFraming]

  private(set) var events: [String] = []
  private var offset = 0
  private var latest: (kind: String, count: Int)?

  /// What comes after each message, in order; then the next message.
  var after: [AfterMessage] = []
  var lineLimit = 1 << 16
  var probeLimit = 1 << 13

  func limits(_ context: Context) -> HTTP1Limits { HTTP1Limits(line: lineLimit, probe: probeLimit) }

  mutating func head(
    _ octets: RawSpan, from offset: Int, at start: LineStart, _ context: inout Context
  ) -> (length: Int, framing: BodyFraming)? { nil }

  mutating func noteTimes(of line: LineStart, _ context: inout Context) {}

  private mutating func add(_ count: Int, _ kind: String) {
    if let latest, latest.kind == kind {
      self.latest = (kind, latest.count + count)
    } else {
      flush()
      latest = (kind, count)
    }
  }

  private mutating func add(_ event: String) {
    flush()
    events.append("\(offset) \(event)")
  }

  /// Writes down what is counted and not written yet.
  mutating func flush() {
    guard let (kind, count) = latest else { return }
    latest = nil
    if count > 0 { events.append("\(offset)..\(offset + count) \(kind)") }
    offset += count
  }

  private func text(_ span: RawSpan, _ range: Range<Int>) -> String {
    var octets: [UInt8] = []
    span.append(range, to: &octets)
    return String(decoding: octets, as: UTF8.self)
  }

  mutating func startLine(
    _ startLine: StartLine, _ line: RawSpan, length: Int, at start: LineStart, _ context: inout Context
  ) -> Bool {
    flush()
    switch startLine {
    case .request(let request):
      add("request \(text(line, request.method)) \(text(line, request.target)) [\(text(line, request.version))]")
    case .response(let response): add("response \(response.status) [\(text(line, response.version))]")
    }
    add(length, "start-line")
    flush()
    return true
  }

  mutating func fieldLine(_ line: RawSpan, _ field: FieldLine?, isASCII: Bool, _ context: inout Context) {
    let odd = isASCII ? "" : " (not ASCII)"
    fields.append(
      field.map { "field \(text(line, $0.name)): \(text(line, $0.value))\(odd)" }
        ?? "no field: \(text(line, 0..<line.byteCount))")
  }

  /// Field lines come before or after their octets are counted: they are written down at the end of the section.
  private var fields: [String] = []

  mutating func endOfHeaders(_ context: inout Context) -> BodyFraming {
    flush()
    for field in fields { events.append("  \(field)") }
    fields = []
    let framing = context.isEmpty ? .none : context.removeFirst()
    events.append("\(offset) end of headers: \(framing)")
    return framing
  }

  mutating func body(_ octets: RawSpan, _ context: inout Context) { add(octets.byteCount, "body") }
  mutating func unseenBody(_ count: Int, _ context: inout Context) { add(count, "body, beyond the snap length") }
  mutating func missingBody(_ count: Int, _ context: inout Context) { add(count, "body, missing") }
  mutating func count(_ count: Int, as part: FramedPart, _ context: inout Context) { add(count, "\(part)") }

  mutating func endOfMessage(at position: StreamPosition, _ context: inout Context) -> AfterMessage {
    add("end of message")
    return after.isEmpty ? .message : after.removeFirst()
  }

  mutating func brokenMessage(
    at position: StreamPosition, _ flags: MessageFlags, by cause: MessageBreak, _ context: inout Context
  ) {
    flush()
    for field in fields { events.append("  \(field)") }
    fields = []
    add("broken message")
  }

  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context) {
    add(count, "outside messages: \(reason)")
  }
  mutating func droppedLine(_ count: Int, as reason: OutsideReason, _ context: inout Context) {
    outsideMessages(count, as: reason, &context)
  }
  mutating func lostOctets(
    _ count: Int, at position: StreamPosition, as reason: OutsideReason, _ context: inout Context
  ) {
    outsideMessages(count, as: reason, &context)
  }
  mutating func missingOutsideMessages(_ count: Int, _ context: inout Context) {
    add(count, "missing outside messages")
  }
  mutating func unseenOutsideMessages(_ count: Int, as reason: OutsideReason, _ context: inout Context) {
    add(count, "outside messages, beyond the snap length: \(reason)")
  }

  /// Positions that the other side has acknowledged.
  var boundaries: [StreamPosition] = []

  func nextRequest(in octets: RawSpan, from offset: Int, _ context: Context) -> Int? { nil }

  func nextBoundary(after position: StreamPosition, before end: StreamPosition, _ context: Context) -> StreamPosition? {
    boundaries.first { $0 > position && $0 < end }
  }
  mutating func refusedStart(_ context: inout Context) {}
  func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ context: Context) -> Bool { true }
  mutating func resynchronized(at start: LineStart, _ context: inout Context) { add("resynchronized") }
  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ context: Context) -> Bool {
    position == arrival.segment
  }
  func isRefused(_ context: Context) -> Bool { false }

  mutating func hasNoContent(isCertain: Bool, _ context: inout Context) { add("no content") }
  mutating func opensTunnel(_ context: inout Context) { add("tunnel") }

  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ context: inout Context) {
    notes.append(anomaly.rawValue)
  }

  /// The oddities, in their order.
  private(set) var notes: [String] = []
}
