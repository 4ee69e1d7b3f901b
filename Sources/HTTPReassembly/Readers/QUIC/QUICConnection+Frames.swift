// The frames of opened packets, the hellos in them, and connection IDs (RFC 9000 §19, §5.1; RFC 9001 §4).

import Packets

extension QUICConnection {
  /// Reads the frames of an opened packet of `packetLength` octets. `room` has them.
  mutating func readFrames(
    _ level: QUICLevel, _ count: Int, of packetLength: Int, _ account: inout DatagramAccount,
    _ room: inout PacketRoom, _ run: inout Run
  ) {
    var reader = QUICFrames(isHandshake: !level.isApplication)
    var data = 0
    let side = account.side
    run.read(side)
    room.frames.withOctets { octets in
      let frames = octets.extracting(0..<count)
      while let frame = reader.next(frames) {
        switch frame.kind {
        case .handshake:
          data += frame.data.count
          account.handshake += frame.data.count
          readHandshake(level, side, frames.extracting(frame.data), at: frame.position, &run)
        case .stream:
          data += frame.data.count
          readStream(frame, frames.extracting(frame.data), &account, &run)
        case .datagram:
          data += frame.data.count
          let content = frames.extracting(frame.data)
          if let streams = openStreams(&run) {
            let message = streams.value.application.datagram(side, content, &run)
            if account.message.isNone { account.message = message }
          } else {
            QUICApplication.settle(content.byteCount, of: side, &run)
          }
        case .resetStream: openStreams(&run)?.value.reset(side, frame.id, &run)
        case .stopSending: openStreams(&run)?.value.stopSending(frame.id, &run)
        case .acknowledgment: if level.isApplication { account.acknowledges = true }
        case .newConnectionID:
          noteID(QUICConnectionID(frames, frame.data), frame.id, of: side)
          let token = frame.data.upperBound..<frame.data.upperBound + QUICFrame.resetTokenLength
          opener?.value.note(resetToken: QUICConnectionID(frames, token), of: side)
        case .retireConnectionID: retireID(frame.id, of: 1 - side)
        case .done: dropHandshakeKeys()
        case .close: if !level.isApplication, side != client { isRefused = true }
        case .other: break
        }
      }
    }
    if reader.isMalformed { run.note(.quicFrameUnknown) }
    account.packet += packetLength - data
    if level.isApplication { account.record += packetLength - data }
  }

  private mutating func readStream(
    _ frame: QUICFrame, _ data: RawSpan, _ account: inout DatagramAccount, _ run: inout Run
  ) {
    guard let streams = openStreams(&run) else {
      return QUICApplication.settle(data.byteCount, of: account.side, &run)
    }
    let found = streams.value.take(account.side, frame, data, account.arrival, &run)
    account.repeatedData += found.repeated
    if found.fresh > 0 {
      account.offer(frame.id, at: found.position, length: found.fresh, isNew: true)
    } else if found.repeated > 0 {
      account.offer(frame.id, at: frame.position, length: found.repeated, isNew: false)
    }
  }

  /// Frees the keys that are not needed after the handshake (RFC 9001 §4.9). Late packets make them again.
  private func dropHandshakeKeys() {
    guard let opener else { return }
    for side in 0..<2 {
      for level in [QUICLevel.initial, .early, .handshake] {
        opener.value.sides[side].levels[level.rawValue] = QUICOpener.Level()
      }
      opener.value.sides[side].initial.end()
      opener.value.sides[side].handshake.end()
    }
  }

  // MARK: Connection IDs

  /// Notes the IDs in the header of an opened packet in long form: the sender's own, and the receiver's.
  mutating func noteIDs(_ header: QUICPacketHeader, _ level: QUICLevel, from side: Side) {
    noteID(header.sourceID, 0, of: side)
    // A client's first packets go to an ID that it made up.
    if side != client || level == .handshake { noteID(header.destinationID, 0, of: 1 - side) }
  }

  private mutating func noteID(_ id: QUICConnectionID, _ sequence: UInt64, of side: Side) {
    guard let opener else { return }
    let (isNew, forgotten) = opener.value.note(id, sequence, of: side)
    guard isNew, client != nil else { return }
    newIDs.append(id)
    if let forgotten { oldIDs.append(forgotten) }
  }

  /// Forgets an ID that a side chose, because the other one has retired it.
  private mutating func retireID(_ sequence: UInt64, of side: Side) {
    guard let opener,
      // The last one stays: its length is needed.
      opener.value.sides[side].ids.count > 1,
      let index = opener.value.sides[side].ids.firstIndex(where: { $0.sequence == sequence })
    else { return }
    let id = opener.value.sides[side].ids.remove(at: index).id
    if client != nil { oldIDs.append(id) }
  }

  // MARK: Handshake

  private mutating func readHandshake(
    _ level: QUICLevel, _ side: Side, _ octets: RawSpan, at position: Int, _ run: inout Run
  ) {
    guard let opener else { return }
    let limit = run.configuration.quicHandshakeLimit
    switch level {
    case .initial:
      opener.value.sides[side].initial.take(octets, at: position, limit: limit)
      while let type = opener.value.sides[side].initial.nextMessage() {
        takeInitialMessage(type, opener.value.sides[side].initial.content, side, &run)
      }
    case .handshake:
      opener.value.sides[side].handshake.take(octets, at: position, limit: .max)
      while let type = opener.value.sides[side].handshake.nextMessage() {
        takeHandshakeMessage(type, opener.value.sides[side].handshake.content, side, &run)
      }
    case .early, .application: break
    }
  }

  private mutating func takeInitialMessage(_ type: UInt8, _ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard let opener else { return }
    let isClient = side == client
    // Packets that wait are tried again after each hello.
    opener.value.sides[side].hellos += 1
    guard opener.value.sides[side].hellos <= QUICOpener.helloLimit,
      type == (isClient ? HandshakeMessages.Kind.clientHello : HandshakeMessages.Kind.serverHello),
      let hello = content.withOctets({ Hello($0, isClient: isClient) })
    else { return opener.value.sides[side].initial.end() }
    if isClient {
      take(client: hello, content, &run)
    } else {
      // After a HelloRetryRequest, both sides send another hello later in the same stream of octets.
      take(server: hello, &run)
      if !hello.isRetryRequest {
        for side in 0..<2 { opener.value.sides[side].initial.end() }
      }
    }
    opener.value.progress += 1
  }

  private mutating func take(client hello: Hello, _ content: [UInt8], _ run: inout Run) {
    guard let opener else { return }
    opener.value.name = hello.random.withOctets { SecretName(.random, $0) }
    facts.hasEncryptedHello = hello.extensions.contains(.encryptedClientHello)
    if hello.extensions.contains(.earlyData) { opener.value.offersEarlyData = true }
    if facts.serverName == .none, let name = hello.hostName(in: content) {
      facts.serverName = run.texts.intern(name)
      facts.isServerNamePublic = facts.hasEncryptedHello
      run.connection.beneath.serverName = facts.serverName
      run.connection.beneath.isNamePublic = facts.isServerNamePublic
    }
    guard !hello.protocolName.isEmpty, facts.applicationProtocol == .none else { return }
    // The server's choice is protected. QUIC requires a choice (RFC 9001 §8.1), so a single offer is the choice.
    let start = hello.protocolName.lowerBound
    let length = content.withOctets { Int($0.bigEndian16(start - 3)) }
    if length == hello.protocolName.count + 1 { learnProtocol(Array(content[hello.protocolName]), &run) }
    var offset = start - 1
    let end = min(start - 1 + length, content.count)
    while offset < end {
      let next = min(offset + 1 + Int(content[offset]), end)
      if QUICApplication.isHTTP3(Array(content[offset + 1..<max(next, offset + 1)])) { opener.value.offersHTTP3 = true }
      offset = next
    }
  }

  private mutating func learnProtocol(_ name: [UInt8], _ run: inout Run) {
    opener?.value.protocolName = name
    if facts.applicationProtocol == .none { facts.applicationProtocol = run.texts.intern(name) }
  }

  private mutating func take(server hello: Hello, _ run: inout Run) {
    guard let opener else { return }
    facts.version = hello.version
    facts.suite = hello.suite
    guard !hello.isRetryRequest else { return refuseEarlyData(&run) }
    // The client took one of the versions that the server named.
    isRefused = false
    facts.isResumed = hello.extensions.contains(.preSharedKey)
    let suite = CipherSuite(hello.suite).protection
    opener.value.suite = suite
    opener.value.hasServerHello = true
    // Keys that were tried before were made without knowing the suite.
    for side in 0..<2 {
      for level in [QUICLevel.handshake, .application] {
        opener.value.sides[side].levels[level.rawValue].knownSecrets = -1
      }
    }
    facts.isSuiteOpened = suite != nil
    guard let name = opener.value.name else { return }
    if suite == nil, run.secrets.hasAny(of: name) { run.note(.tlsSuiteNotOpened) }
    // If the next messages cannot be read, it is unknown whether the server accepts early data.
    if opener.value.takesEarlyData == nil, !run.secrets.mayGrow || opener.value.hasGivenUp,
      !run.secrets.has(.serverHandshakeTraffic, of: name), !facts.hasEncryptedHello
    {
      opener.value.takesEarlyData = false
    }
  }

  private mutating func takeHandshakeMessage(_ type: UInt8, _ content: [UInt8], _ side: Side, _ run: inout Run) {
    guard let opener else { return }
    if side == client {
      guard type == HandshakeMessages.Kind.finished else { return }
      if let start = opener.value.helloTime { run.connection.beneath.handshake = max(lastSeen - start, 0) }
      return opener.value.sides[side].handshake.end()
    }
    guard type == HandshakeMessages.Kind.encryptedExtensions else { return }
    let hello = content.withOctets { Hello(encryptedExtensions: $0) }
    if !hello.protocolName.isEmpty { learnProtocol(Array(content[hello.protocolName]), &run) }
    content.withOctets { takeParameters($0.extracting(hello.transportParameters), of: side) }
    if hello.extensions.contains(.earlyData) {
      if opener.value.takesEarlyData == nil { opener.value.takesEarlyData = true }
    } else {
      refuseEarlyData(&run)
    }
    opener.value.progress += 1
    opener.value.sides[side].handshake.end()
  }

  /// Takes the server's transport parameters (RFC 9000 §18.2): the token with which it may reset the connection, and the ID that belongs to
  /// the address that it prefers.
  private mutating func takeParameters(_ parameters: RawSpan, of side: Side) {
    let tokenLength = QUICFrame.resetTokenLength
    var offset = 0
    while let name = parameters.variableLengthInteger(&offset), let length = parameters.variableLengthInteger(&offset) {
      guard length <= parameters.byteCount - offset else { return }
      let value = parameters.extracting(offset..<offset + length)
      offset += length
      switch name {
      case 0x02 where length == tokenLength:
        opener?.value.note(resetToken: QUICConnectionID(value, 0..<tokenLength), of: side)
      case 0x0d:
        // An address and a port of IPv4, then of IPv6, have 24 octets. The ID has the sequence number 1 (RFC 9000 §5.1.1).
        guard length > 24, case let end = 25 + Int(value.octet(24)), 26...25 + QUICConnectionID.limit ~= end,
          length == end + tokenLength
        else { continue }
        noteID(QUICConnectionID(value, 25..<end), 1, of: side)
        opener?.value.note(resetToken: QUICConnectionID(value, end..<length), of: side)
      default: continue
      }
    }
  }

  private func refuseEarlyData(_ run: inout Run) {
    guard let opener, opener.value.takesEarlyData == nil else { return }
    opener.value.takesEarlyData = false
    if opener.value.offersEarlyData { run.note(.tlsEarlyDataRefused) }
  }
}
