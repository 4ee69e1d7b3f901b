// The octets in a tunnel that a message opened. If they are a WebSocket, its frames are read.

import Packets

extension Run {
  /// Starts reading the frames that the sender of a message sends in the tunnel that it opened.
  mutating func openWebSocket(of row: RowIndex, isMasked: Bool, _ terms: WebSocketTerms) {
    guard rows.messages.look(Int(row), { $0.webSocket < 0 }) else { return }
    let reader = OwnMemory(WebSocketReader(isMasked: isMasked, terms))
    rows.messages[Int(row)].webSocket = RowIndex(rows.webSockets.insert(reader))
  }

  /// Counts octets in the tunnel that a message opened.
  mutating func countTunnel(_ count: Int, of row: RowIndex) {
    rows[message: row].tunnel += count
    ledger.settle(count, as: .tunnel)
  }

  /// Takes octets in such a tunnel.
  mutating func takeTunnel(_ octets: RawSpan, of row: RowIndex) {
    countTunnel(octets.byteCount, of: row)
    if let reader = webSocket(of: row) { reader.value.take(octets, &self) }
  }

  /// Counts octets of such a tunnel that a packet had, and that are not seen.
  mutating func takeUnseenTunnel(_ count: Int, of row: RowIndex) {
    countTunnel(count, of: row)
    rows[message: row].unseen += count
    rows[message: row].exactness.weaken()
    if let reader = webSocket(of: row) { reader.value.skip(count, isInPacket: true, &self) }
  }

  /// Notes octets of such a tunnel that no packet had. The run has counted them.
  mutating func missTunnel(_ count: Int, of row: RowIndex) {
    rows[message: row].missing += count
    rows[message: row].exactness.weaken()
    if let reader = webSocket(of: row) { reader.value.skip(count, isInPacket: false, &self) }
  }

  /// The reader of the frames in a message's tunnel; nil without one.
  @inline(__always)
  func webSocket(of row: RowIndex) -> OwnMemory<WebSocketReader>? {
    let index = rows.messages.look(Int(row)) { $0.webSocket }
    return index < 0 ? nil : rows.webSockets[Int(index)]
  }

  /// Ends the frames of a message that becomes final. Its row gets their facts.
  @inline(__always)
  mutating func closeWebSocket(of row: RowIndex) {
    if rows.messages.look(Int(row), { $0.webSocket >= 0 }) { endWebSocket(of: row) }
  }

  @inline(never)
  private mutating func endWebSocket(of row: RowIndex) {
    guard let reader = webSocket(of: row) else { return }
    rows.webSockets.discard(Int(rows.messages.look(Int(row)) { $0.webSocket }))
    rows.messages[Int(row)].webSocket = -1
    reader.value.finish(&self)
    var facts = reader.value.facts
    // The frames are no more certain than the message that they belong to. Only their end is known by a close frame, too.
    let (exactness, tunnel) = rows.messages.look(Int(row)) { ($0.message.exactness, $0.message.tunnel) }
    let isWhole = !rows.isDoubted(row) && (exactness == .exact || exactness == .atLeast && reader.value.isClosed)
    if facts.exactness == .exact, !isWhole || tunnel != facts.frameLength + facts.payloadLength {
      facts.exactness = exactness == .atLeast ? .atLeast : .inferred
    }
    rows[message: row].webSocket = texts.intern(facts.text)
  }
}

/// The terms of a WebSocket that the field sections of its opening say (RFC 6455 §4, RFC 8441 §5).
struct WebSocketTerms: OptionSet {
  let rawValue: UInt8
  /// The Upgrade field or `:protocol` names `websocket`.
  static let named = WebSocketTerms(rawValue: 1 << 0)
  /// Messages may be compressed (permessage-deflate, RFC 7692).
  static let deflates = WebSocketTerms(rawValue: 1 << 1)
  /// Another extension may change frames.
  static let extended = WebSocketTerms(rawValue: 1 << 2)

  /// Takes a line of Sec-WebSocket-Extensions: a list of names with parameters (RFC 6455 §9.1).
  mutating func takeExtensions(_ line: RawSpan, _ value: Range<Int>) {
    var offset = value.lowerBound
    while let element = line.nextElement(&offset, in: value) {
      let name = line.name(ofElement: element)
      if name.count == 18, line.matches("permessage-deflate", at: name.lowerBound) {
        insert(.deflates)
      } else if !name.isEmpty {
        insert(.extended)
      }
    }
  }
}
