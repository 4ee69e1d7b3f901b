// What handshake messages say, in the clear and opened (RFC 8446 §4, RFC 5246 §7.4).

import Packets

extension TLSSession {
  /// Octets of a handshake record that is not opened: they say something if they are not protected.
  mutating func readClear(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    guard sides[side].contentType == TLSSide.ContentType.handshake, !sides[side].isProtected else { return }
    readHandshake(side, octets, &run)
  }

  /// Octets of handshake messages, as they were before they were protected.
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
      // In clear text: whoever opens this session opens those that go on from it.
      negotiation?.value.issuedTicket = Negotiation.name(ofTicket: content[6...])
    case HandshakeMessages.Kind.clientKeyExchange where content.count >= 10:
      negotiation?.value.encryptedPremaster = content.withOctets {
        SecretName(.encryptedPremaster, $0.extracting(2..<10))
      }
    case HandshakeMessages.Kind.finished:
      // A client that is asked for its certificate after the handshake sends a Finished, too, and no keys change (RFC 8446 §4.6.2).
      guard negotiation?.value.isTLS13 == true, sides[side].opener?.look({ $0.epoch }) != .application else { break }
      changeKeys(side, to: .application)
      if side == client { handshakeTime = arrivalTime(side) }
    case HandshakeMessages.Kind.endOfEarlyData where negotiation?.value.isTLS13 == true:
      changeKeys(side, to: .handshake)
    case HandshakeMessages.Kind.keyUpdate where negotiation?.value.isTLS13 == true: updateKeys(side, run)
    default: break
    }
  }

  /// Capture time of the packet that brought the latest octets of a side.
  private func arrivalTime(_ side: Side) -> Int64? {
    let count = sides.look(side) { $0.shares.count }
    return count > 0 ? sides.look(side) { $0.shares[count - 1].arrival.time } : nil
  }

  /// The first octet of a record of the handshake comes.
  mutating func noteHelloTime(_ side: Side) {
    if helloTime == nil, negotiation == nil { helloTime = arrivalTime(side) }
  }

  /// A record of the handshake has ended: up to TLS 1.2 the last one before the client's data is the end of the handshake.
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
    // A renegotiation changes nothing of what the connection is known by.
    guard isFirst else { return }
    client = side
    facts.hasEncryptedHello = hello.extensions.contains(.encryptedClientHello)
    guard let name = hello.hostName(in: content) else { return }
    facts.serverName = run.texts.intern(name)
    isNamePublic = hello.extensions.contains(.encryptedClientHello)
    facts.isServerNamePublic = isNamePublic
  }

  private mutating func takeServerHello(_ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard let hello = content.withOctets({ Hello($0, isClient: false) }) else {
      return run.note(.tlsHandshakeMalformed)
    }
    if negotiation == nil { helloTime = nil }
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
    // Nothing tells whether early data is taken where the next messages cannot be read.
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
    run.note(.tlsEarlyDataRefused)
  }

  private mutating func learnProtocol(_ content: [UInt8], _ hello: Hello, _ run: inout Run) {
    guard !hello.protocolName.isEmpty, facts.applicationProtocol == .none else { return }
    facts.applicationProtocol = run.texts.intern(Array(content[hello.protocolName]))
  }

  /// A change_cipher_spec: up to TLS 1.2, what follows is protected by new keys (RFC 5246 §7.1); in TLS 1.3 it means nothing (RFC 8446
  /// §D.4).
  mutating func changeCipherSpec(_ side: Side, _ run: inout Run) {
    // Without a ServerHello nothing says which it is.
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
