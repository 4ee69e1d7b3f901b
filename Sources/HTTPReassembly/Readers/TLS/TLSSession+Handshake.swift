// The meaning of handshake messages, in clear and opened (RFC 8446 §4, RFC 5246 §7.4).

import Packets

extension TLSSession {
  /// Reads octets of an unopened handshake record, unless they are protected.
  mutating func readClear(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    guard sides[side].contentType == TLSSide.ContentType.handshake, !sides[side].isProtected else { return }
    readHandshake(side, octets, &run)
  }

  /// Reads octets of handshake messages without their protection.
  mutating func readHandshake(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    guard !sides[side].handshake.isLost else { return }
    var offset = 0
    while let type = sides[side].handshake.next(octets, &offset) { take(type, side, &run) }
    if sides[side].handshake.isLost { run.note(.tlsHandshakeMalformed) }
  }

  private mutating func take(_ type: UInt8, _ side: Side, _ run: inout Run) {
    let content = sides[side].handshake.content
    sides[side].handshake.release()
    switch type {
    case HandshakeMessages.Kind.clientHello: takeClientHello(content, side, &run)
    case HandshakeMessages.Kind.serverHello: takeServerHello(content, side, &run)
    case HandshakeMessages.Kind.encryptedExtensions: takeEncryptedExtensions(content, side, &run)
    case HandshakeMessages.Kind.certificate, HandshakeMessages.Kind.serverHelloDone:
      if side != client { negotiation?.value.isFull = true }
    case HandshakeMessages.Kind.newSessionTicket where content.count > 6 && negotiation?.value.isTLS13 == false:
      // The ticket is in clear text. The secrets of this session also open the sessions that resume it.
      negotiation?.value.issuedTicket = Negotiation.name(ofTicket: content[6...])
    case HandshakeMessages.Kind.clientKeyExchange:
      // The server's messages may be lost, and a resumed session has no such message of the client.
      negotiation?.value.isFull = true
      guard content.count >= 10 else { break }
      negotiation?.value.encryptedPremaster = content.withOctets {
        SecretName(.encryptedPremaster, $0.extracting(2..<10))
      }
    case HandshakeMessages.Kind.finished:
      // A client that authenticates after the handshake also sends a Finished, but no keys change (RFC 8446 §4.6.2).
      guard negotiation?.value.isTLS13 == true, sides[side].opener?.look({ $0.epoch }) != .application else { break }
      changeKeys(side, to: .application)
      if side == client { handshakeTime = arrivalTime(side) }
    case HandshakeMessages.Kind.endOfEarlyData where negotiation?.value.isTLS13 == true:
      changeKeys(side, to: .handshake)
    case HandshakeMessages.Kind.keyUpdate where negotiation?.value.isTLS13 == true: updateKeys(side, run)
    default: break
    }
  }

  /// Whether a side goes on in clear text behind its ClientHello: the next record would begin with this octet.
  ///
  /// Proxies that open TLS mirror what they read so. The ClientHello stands before the requests, and no answer to it is mirrored.
  @inline(__always)
  func endsAtHello(_ side: Side, _ firstOctet: UInt8) -> Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= firstOctet && endsAtHello(side)
  }

  @inline(never)
  private func endsAtHello(_ side: Side) -> Bool {
    guard side == client, inner == nil, let negotiation, !negotiation.value.hasServerHello else { return false }
    if sides.look(1 - side, { $0.hasStarted }) { return false }
    return sides.look(side) {
      $0.isConfirmed && !$0.isLost && $0.headerCount == 0 && $0.remaining == 0 && !$0.isProtected
        && !$0.handshake.isWithin
    }
  }

  /// The capture time of the packet with the latest octets of a side.
  private func arrivalTime(_ side: Side) -> Int64? {
    let count = sides.look(side) { $0.shares.count }
    return count > 0 ? sides.look(side) { $0.shares[count - 1].arrival.time } : nil
  }

  /// Notes the time of the first octet of a handshake record.
  mutating func noteHelloTime(_ side: Side) {
    if helloTime == nil, negotiation == nil { helloTime = arrivalTime(side) }
  }

  /// Notes the time of a handshake record's end. Up to TLS 1.2, the last one before the client's data ends the handshake.
  mutating func noteHandshakeTime(_ side: Side, _ run: borrowing Run) {
    guard inner == nil, let negotiation, !negotiation.value.isTLS13 else { return }
    handshakeTime = arrivalTime(side)
  }

  private mutating func openNegotiation() -> OwnMemory<Negotiation> {
    let opened = negotiation ?? OwnMemory(Negotiation())
    negotiation = opened
    return opened
  }

  private mutating func takeClientHello(_ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard let hello = content.withOctets({ Hello($0, isClient: true) }) else {
      return run.note(.tlsHandshakeMalformed)
    }
    let isFirst = self.negotiation == nil
    let negotiation = openNegotiation()
    negotiation.value.take(client: hello)
    if !hello.ticket.isEmpty {
      negotiation.value.offeredTicket = Negotiation.name(ofTicket: content[hello.ticket])
    }
    // A renegotiation does not change the connection's facts.
    guard isFirst else { return }
    client = side
    learnName(hello, content, &run)
  }

  private mutating func learnName(_ hello: Hello, _ content: [UInt8], _ run: inout Run) {
    facts.hasEncryptedHello = hello.extensions.contains(.encryptedClientHello)
    guard let name = hello.hostName(in: content) else { return }
    facts.serverName = run.texts.intern(name)
    isNamePublic = hello.extensions.contains(.encryptedClientHello)
    facts.isServerNamePublic = isNamePublic
  }

  /// Keeps a ClientHello that was sent in the place of the one that was read. Programs send false ones, which no server gets.
  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ run: inout Run) {
    guard side == client, let negotiation, !negotiation.value.hasServerHello, Hello.starts(octets),
      negotiation.value.copies.count < Negotiation.copyLimit
    else { return }
    let length = TLSRecords.headerLength + Int(octets.bigEndian16(3))
    // Records must go on in the same place behind both.
    let isInPlace = sides.look(side) { $0.headerCount == 0 && $0.remaining == 0 && $0.next == position + length }
    guard isInPlace, length <= octets.byteCount else { return }
    var messages = HandshakeMessages()
    var offset = 0
    let type = messages.next(octets.extracting(TLSRecords.headerLength..<length), &offset)
    guard type == HandshakeMessages.Kind.clientHello else { return }
    negotiation.value.copies.append(messages.content)
    count(&run)
  }

  /// Chooses the ClientHello that the server has answered: the one whose secrets are known, or whose session the answer repeats.
  ///
  /// Without an answer, only secrets can tell.
  private mutating func chooseHello(_ answer: Hello?, _ run: inout Run) {
    guard let negotiation, !negotiation.value.copies.isEmpty else { return }
    let copies = negotiation.value.copies
    negotiation.value.copies = []
    if let name = negotiation.value.client, run.secrets.hasAny(of: name) { return }
    var chosen: (hello: Hello, content: [UInt8])?
    for content in copies {
      guard let hello = content.withOctets({ Hello($0, isClient: true) }),
        let name = hello.random.withOctets({ SecretName(.random, $0) })
      else { continue }
      if run.secrets.hasAny(of: name) {
        chosen = (hello, content)
        break
      }
      let session = hello.session.withOctets { SecretName(.session, $0.extracting(0..<hello.sessionLength)) }
      let answered = answer.flatMap { answer in
        answer.session.withOctets { SecretName(.session, $0.extracting(0..<answer.sessionLength)) }
      }
      if let session, let answered, session == answered, negotiation.value.offeredSession != answered, chosen == nil {
        chosen = (hello, content)
      }
    }
    guard let chosen else { return }
    negotiation.value.take(client: chosen.hello)
    if !chosen.hello.ticket.isEmpty {
      negotiation.value.offeredTicket = Negotiation.name(ofTicket: chosen.content[chosen.hello.ticket])
    }
    run.texts.release(facts.serverName)
    facts.serverName = .none
    isNamePublic = false
    facts.isServerNamePublic = false
    learnName(chosen.hello, chosen.content, &run)
  }

  /// Notes that octets of a side are not seen. If the ServerHello has not been read, it was among them.
  mutating func noteLostHello(_ side: Side, _ run: inout Run) {
    guard let client, side != client, let negotiation, !negotiation.value.hasParameters else { return }
    chooseHello(nil, &run)
    negotiation.value.hasLostServerHello = true
  }

  private mutating func takeServerHello(_ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard let hello = content.withOctets({ Hello($0, isClient: false) }) else {
      return run.note(.tlsHandshakeMalformed)
    }
    if negotiation == nil { helloTime = nil }
    chooseHello(hello, &run)
    let negotiation = openNegotiation()
    if client == nil { client = 1 - side }
    negotiation.value.take(server: hello)
    if negotiation.value.offersEarlyData, hello.isRetryRequest || hello.version < 0x0304 { refuseEarlyData(&run) }
    guard !hello.isRetryRequest else { return }
    negotiation.value.hasServerHello = true
    facts.version = hello.version
    facts.suite = hello.suite
    if hello.version >= 0x0304 { facts.isResumed = hello.extensions.contains(.preSharedKey) }
    learnProtocol(content, hello, &run)
    // If the next messages cannot be read, it is unknown whether the server accepts early data.
    if negotiation.value.offersEarlyData, negotiation.value.takesEarlyData == nil, let name = negotiation.value.client,
      !mayLearnSecrets(run),
      !run.secrets.has(.serverHandshakeTraffic, of: name)
    {
      negotiation.value.takesEarlyData = false
    }
    if negotiation.value.suite?.protection == nil, hasSecrets(run) { run.note(.tlsSuiteNotOpened) }
  }

  private mutating func takeEncryptedExtensions(_ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard side != client, let negotiation, negotiation.value.isTLS13 else { return }
    let hello = content.withOctets { Hello(encryptedExtensions: $0) }
    learnProtocol(content, hello, &run)
    guard negotiation.value.offersEarlyData, negotiation.value.takesEarlyData == nil else { return }
    if hello.extensions.contains(.earlyData) {
      negotiation.value.takesEarlyData = true
    } else {
      refuseEarlyData(&run)
    }
  }

  private func refuseEarlyData(_ run: inout Run) {
    guard negotiation?.value.takesEarlyData == nil else { return }
    negotiation?.value.takesEarlyData = false
    negotiation?.value.refusesEarlyData = true
    run.note(.tlsEarlyDataRefused)
  }

  private mutating func learnProtocol(_ content: [UInt8], _ hello: Hello, _ run: inout Run) {
    guard !hello.protocolName.isEmpty, facts.applicationProtocol == .none else { return }
    facts.applicationProtocol = run.texts.intern(Array(content[hello.protocolName]))
  }

  /// Takes a change_cipher_spec. Up to TLS 1.2, new keys protect the following records (RFC 5246 §7.1).
  ///
  /// It has no meaning in TLS 1.3 (RFC 8446 §D.4).
  mutating func changeCipherSpec(_ side: Side, _ run: inout Run) {
    // Without a ServerHello, the version is unknown.
    guard let negotiation, negotiation.value.hasServerHello, !negotiation.value.isTLS13 else {
      if negotiation == nil { sides[side].isProtected = true }
      return
    }
    if side != client, facts.isResumed == nil { facts.isResumed = !negotiation.value.isFull }
    sides[side].isProtected = true
    sides[side].handshake.lose()
    changeKeys(side, to: .master)
  }
}
