// ALTSVC frames: a server offers a host's resources elsewhere (RFC 7838 §4).

extension HTTP2Session {
  /// The longest payload that is read, in octets. Real ones have some dozens.
  private static let offerLengthLimit = 1024
  /// The number of hosts whose offers are kept.
  private static let offerLimit = 4

  /// Gathers octets of a frame's payload. A client's frame has no meaning.
  mutating func gatherOffer(_ octets: RawSpan, _ run: borrowing Run) {
    guard isFromServer(run), readers.look(run.side, { $0.frame.payloadLength }) <= Self.offerLengthLimit else {
      return
    }
    octets.append(0..<octets.byteCount, to: &offer)
  }

  /// Takes an offer. On stream 0 it names the origin that it is for. On another stream it is for the origin of the request there.
  mutating func takeOffer(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    guard isFromServer(run) else { return }
    defer { offer.removeAll() }
    guard offer.count == frame.payloadLength, offer.count >= 2 else { return }
    let message = readers.look(run.side) { $0.message }
    let found = offer.withOctets { payload -> (host: [UInt8], services: AlternativeServices)? in
      let length = Int(payload.bigEndian16(0))
      guard length + 2 <= payload.byteCount else { return nil }
      let services = AlternativeServices(payload.extracting(2 + length..<payload.byteCount))
      return (Self.host(ofOrigin: payload.extracting(2..<2 + length), &run.texts), services)
    }
    guard let found, !found.services.isEmpty, found.host.isEmpty == (frame.stream > 0) else { return }
    if frame.stream > 0 {
      if !message.isNone { run.rows[message: message.row].alternatives.formUnion(found.services) }
    } else if streams.offers.count < Self.offerLimit {
      streams.offers.append(found)
      takeEarlier(found, &run)
    }
  }

  /// Gives an offer to the requests of its host that came before it, as far as their rows are not final.
  private func takeEarlier(_ offer: (host: [UInt8], services: AlternativeServices), _ run: inout Run) {
    var rows: [RowIndex] = []
    streams.forEachOpenMessage { row, _ in rows.append(row) }
    for row in rows where run.rows[message: row].kind == .request {
      let host = run.rows[message: row].host
      if run.texts.octets(host) == offer.host { run.rows[message: row].alternatives.formUnion(offer.services) }
    }
  }

  private func isFromServer(_ run: borrowing Run) -> Bool {
    guard let requestSide else { return false }
    return run.side != requestSide
  }

  /// The host of an origin (RFC 6454 §6.2), as rows have it.
  private static func host(ofOrigin origin: RawSpan, _ texts: inout TextPool) -> [UInt8] {
    let isSecure = origin.matches("https://", at: 0)
    guard isSecure || origin.matches("http://", at: 0) else { return [] }
    let start = isSecure ? 8 : 7
    let text = HostName.intern(
      origin, start..<origin.byteCount, defaultPort: isSecure ? ":443" : ":80", &texts)
    defer { texts.release(text) }
    return texts.octets(text)
  }
}
