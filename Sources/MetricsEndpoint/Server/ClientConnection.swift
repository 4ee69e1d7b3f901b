/// A connection of a client: requests, one after another, and their answers. It keeps one request's head and one answer at most. Anything else
/// that a client sends waits in the system, and holds up that client alone.
struct ClientConnection {
  typealias Instant = ContinuousClock.Instant

  /// The service, the limits and the time that all connections of a port share.
  struct Surroundings {
    let service: any Service
    let patience: Duration
    let time: Instant
  }

  /// The event that a connection waits for.
  enum Phase {
    /// A request, or the rest of one.
    case asking
    /// The client takes its answer.
    case answering
    /// An update, to be sent on a response that goes on.
    case following
    /// The client closes, after the last answer. If the server closed while octets come, the client could lose the end of its answer
    /// (RFC 9112 §9.6).
    case leaving
    /// None: the connection is closed.
    case closed
  }

  /// The rank of a connection. If all places are taken, the connection with the lowest rank gives way to a new one. Of several, it is the one
  /// that has had this rank for longest.
  enum Standing: Int, Comparable {
    /// The client owes a request, or has taken nothing for a second.
    case slow
    /// The client is answered, and may ask again.
    case idle
    /// The client takes its answer.
    case taking
    /// The client has everything, and waits for updates.
    case following

    static func < (a: Standing, b: Standing) -> Bool { a.rawValue < b.rawValue }
  }

  /// A client that takes nothing of its answer for longer is slow.
  static let pause = Duration.seconds(1)
  /// The time that a client has to close after the last answer.
  static let farewell = Duration.seconds(2)
  /// A comment for clients whose response goes on (HTML Living Standard §9.2.7).
  private static let comment = Array(":\n\n".utf8)

  let socket: Socket
  private(set) var phase = Phase.asking
  /// The time when the phase began, or when the client last sent or took something.
  private var since: Instant
  /// The time when the current answer began.
  private var begun: Instant
  private var input: [UInt8] = []
  /// Octets of `input` that were searched for the end of a head.
  private var searched = 0
  /// Octets of a request's content that are still to be skipped.
  private var contentLeft = 0
  private var output = Output()
  private var wasAnswered = false
  private var isLast = false
  /// The number of the client's latest update, if its response goes on.
  private var latest: Int?

  init(_ socket: Socket, at time: Instant) {
    self.socket = socket
    since = time
    begun = time
  }

  /// Octets that the client still has to take.
  var outputCount: Int { output.count }

  /// When it is to be looked at though nothing comes.
  func deadline(_ patience: Duration) -> Instant {
    switch phase {
    case .asking, .answering, .closed: since + patience
    case .following: since + patience / 2
    case .leaving: since + min(patience, Self.farewell)
    }
  }

  /// The rank, and the time since when the connection has it.
  func standing(at time: Instant) -> (Standing, Instant) {
    switch phase {
    case .asking: (wasAnswered && input.isEmpty && contentLeft == 0 ? .idle : .slow, since)
    case .answering: time - since < Self.pause ? (.taking, begun) : (.slow, since)
    case .following: (.following, since)
    case .leaving, .closed: (.slow, since)
    }
  }

  // MARK: Steps

  /// Does what can be done without waiting. `isReady` is whether its socket was waited for with success; the buffer is for the time of the call.
  mutating func step(isReady: Bool, _ buffer: inout [UInt8], _ around: Surroundings) {
    if isReady {
      if phase == .answering { send(&buffer, around) } else { receive(&buffer, around) }
    }
    goOn(&buffer, around)
    guard phase != .closed, around.time >= deadline(around.patience) else { return }
    guard phase == .following else { return close(around) }
    begin([Self.comment], around)
    send(&buffer, around)
  }

  /// Closes the connection, even during an answer.
  mutating func close(_ around: Surroundings) {
    guard phase != .closed else { return }
    stopFollowing(around)
    socket.close()
    phase = .closed
  }

  /// Answers the requests that have come, and sends updates, as long as the client takes all of it.
  private mutating func goOn(_ buffer: inout [UInt8], _ around: Surroundings) {
    while phase == .asking && readRequest(around) || phase == .following && readUpdate(around) {
      send(&buffer, around)
    }
  }

  private mutating func begin(_ octets: [[UInt8]], _ around: Surroundings) {
    output = Output(octets)
    phase = .answering
    since = around.time
    begun = around.time
  }

  // MARK: Requests

  private mutating func receive(_ buffer: inout [UInt8], _ around: Surroundings) {
    let isAsking = phase == .asking
    // The room is never empty: a head that fills it is refused.
    let room = isAsking ? RequestHead.lengthLimit - input.count : buffer.count
    switch socket.receive(into: &buffer, limit: room) {
    case .notNow: break
    case .over: close(around)
    case .octets(let count):
      guard isAsking else { return }
      // Another request begins.
      if standing(at: around.time).0 == .idle { since = around.time }
      input += buffer.prefix(count)
    }
  }

  /// Begins the answer to the next request. Returns whether a whole one has come.
  private mutating func readRequest(_ around: Surroundings) -> Bool {
    let passed = min(contentLeft, input.count)
    input.removeFirst(passed)
    contentLeft -= passed
    guard contentLeft == 0 else { return false }
    do throws(RequestHead.Refusal) {
      guard let bounds = RequestHead.bounds(in: input, searched: &searched) else {
        guard input.count >= RequestHead.lengthLimit else { return false }
        // RFC 9112 §3, RFC 6585 §5.
        throw RequestHead.Refusal(status: input.contains(0x0a) ? 431 : 414)
      }
      let request = try RequestHead(input[bounds.lines])
      input.removeFirst(bounds.end)
      searched = 0
      contentLeft = request.contentLength
      answer(around.service.respond(to: request), to: request, around)
    } catch {
      answer(Response(status: error.status, isLast: true), to: nil, around)
    }
    return true
  }

  private mutating func answer(_ response: Response, to request: RequestHead?, _ around: Surroundings) {
    latest = response.follows
    let isLast = response.isLast || request?.keepsConnection != true
    // If updates follow, the last one ends the response.
    self.isLast = isLast && latest == nil
    begin(response.octets(isLast: isLast || latest != nil, hasContent: request?.method != "HEAD"), around)
  }

  // MARK: Answers

  /// Begins to send an update. Returns whether there is one.
  private mutating func readUpdate(_ around: Surroundings) -> Bool {
    guard let latest, let update = around.service.update(after: latest) else { return false }
    self.latest = update.number
    isLast = update.isLast
    begin(update.content, around)
    return true
  }

  /// Sends one piece. Begins the next phase after the last one.
  private mutating func send(_ buffer: inout [UInt8], _ around: Surroundings) {
    let length = output.fill(&buffer)
    switch socket.send(buffer, length) {
    case .notNow: break
    case .over: close(around)
    case .octets(let count):
      since = around.time
      output.remove(count)
      guard output.count == 0 else { return }
      wasAnswered = true
      if isLast {
        stopFollowing(around)
        socket.endSending()
        input = []
        phase = .leaving
      } else {
        phase = latest == nil ? .asking : .following
      }
    }
  }

  private mutating func stopFollowing(_ around: Surroundings) {
    if latest.take() != nil { around.service.followerLeft() }
  }
}

/// Octets to send, in pieces that connections share.
private struct Output {
  private var pieces: [[UInt8]] = []
  /// Octets of the first piece that were sent.
  private var sent = 0
  private(set) var count = 0

  init(_ pieces: [[UInt8]] = []) {
    self.pieces = pieces
    count = pieces.reduce(0) { $0 + $1.count }
  }

  /// Fills a buffer with the next octets. Returns their number.
  func fill(_ buffer: inout [UInt8]) -> Int {
    var (filled, start) = (0, sent)
    for piece in pieces {
      let part = piece[start...].prefix(buffer.count - filled)
      buffer.replaceSubrange(filled..<filled + part.count, with: part)
      filled += part.count
      start = 0
      if filled == buffer.count { break }
    }
    return filled
  }

  /// Removes the next octets.
  mutating func remove(_ length: Int) {
    count -= length
    sent += length
    while let first = pieces.first, sent >= first.count {
      sent -= first.count
      pieces.removeFirst()
    }
  }
}
