// Field sections and the facts in them about their messages (RFC 9113 §8.3, RFC 9114 §4.3).

extension MultiplexedStreams {
  /// Counts the octets of a section. A section is changed nowhere here; it is `inout` so that it is not copied.
  mutating func count(
    _ section: inout FieldSection, isTrailer: Bool, _ row: RowIndex, _ run: inout Run
  ) {
    if isTrailer {
      let length = section.startLine + section.header
      run.rows[message: row].octets.trailer += length
      run.ledger.settle(length, as: .trailer)
    } else {
      if run.notes.fields.isWanted { run.notes.fields.endSection(of: row) }
      run.rows[message: row].octets.startLine += section.startLine
      run.rows[message: row].octets.header += section.header
      run.ledger.settle(section.startLine, as: .startLine)
      run.ledger.settle(section.header, as: .header)
    }
    if section.hasUnknown { run.rows[message: row].flags.insert(.fieldUnknown) }
    if section.isMalformed { run.rows[message: row].flags.insert(.fieldBlockMalformed) }
  }

  // MARK: Meaning

  mutating func endHeader(
    _ section: inout FieldSection, _ slot: Int, endsStream: Bool, isComplete: Bool, _ run: inout Run
  ) {
    let side = run.side
    let row = list[slot].halves[side].message.row
    let isRequest = run.rows.messages.look(Int(row)) { $0.message.kind == .request }
    run.rows[message: row].expanded = section.expandedLengths(isRequest: isRequest)
    list[slot].halves[side].hasUnknownFields = section.hasUnknown
    let framing = section.section.framing
    list[slot].halves[side].contentLength = framing.isOdd ? -1 : framing.contentLength ?? -1
    list[slot].halves[side].isStatusUnknown = !isRequest && section.hidesStart && section.status == 0
    list[slot].halves[side].state = .content
    if section.hidesStart { run.rows.messages[Int(row)].doubts.insert(.fields) }
    if !section.section.alternatives.isEmpty {
      run.rows[message: row].alternatives.formUnion(section.section.alternatives)
    }
    if isRequest { takeRequest(&section, slot, row, &run) } else { takeResponse(&section, slot, row, &run) }
    if isRequest ? section.method == .none : section.status == 0 {
      noteWithoutStart(&section, slot, row, endsStream: endsStream, &run)
    }
    show(&section, row, isRequest: isRequest, &run)
    // 101 is not used in HTTP/2 (RFC 9113 §8.6).
    let isInterim = !isRequest && (100...199).contains(section.status) && !endsStream
    if isInterim {
      run.rows[message: row].kind = .interim
      endMessage(slot, side, .interim, &run)
    } else {
      if !isRequest { noteFinalResponse(slot, row, &run) }
      takeAwaited(slot, row, &run)
      startContent(slot, &section, &run)
      if endsStream, isComplete { endMessage(slot, side, .complete, &run) }
    }
  }

  private mutating func takeRequest(_ section: inout FieldSection, _ slot: Int, _ row: RowIndex, _ run: inout Run) {
    run.rows[message: row].method = section.method
    run.rows[message: row].path = section.kind == .connect && !section.hasProtocol ? .none : section.path
    if section.kind == .connect, !section.hasProtocol { run.texts.release(section.path) }
    run.rows[message: row].queryLength = section.queryLength
    run.rows[message: row].target = section.targetMark
    if run.rows[message: row].hostSource == .unknown, section.authority != .none {
      run.rows[message: row].host = section.authority
      run.rows[message: row].hostSource = .authority
      if !offers.isEmpty { takeOffers(of: section.authority, row, &run) }
    } else {
      run.texts.release(section.authority)
    }
    // Trailer fields after lost ones tell nothing of the request.
    let isLater = section.method == .none && losses[run.side] > 0
    nameExchange(
      slot, row, section.hidesStart || isLater ? nil : section.kind, mayHideHost: section.mayHideAuthority || isLater,
      &run)
    if section.kind == .connect { list[slot].halves[run.side].isTunnel = true }
    // An extended CONNECT carries the protocol that it names (RFC 8441).
    list[slot].opensConnection = section.kind == .connect && !section.hasProtocol
    list[slot].isExtended = section.kind == .connect && section.hasProtocol
    let terms = section.section.webSocket
    if list[slot].isExtended, terms.contains(.named) { run.openWebSocket(of: row, isMasked: true, terms) }
  }

  /// Takes the offers of ALTSVC frames for a request's host.
  private func takeOffers(of host: TextID, _ row: RowIndex, _ run: inout Run) {
    let name = run.texts.octets(host)
    for offer in offers where offer.host == name { run.rows[message: row].alternatives.formUnion(offer.services) }
  }

  private mutating func takeResponse(_ section: inout FieldSection, _ slot: Int, _ row: RowIndex, _ run: inout Run) {
    section.releaseRequest(&run)
    run.rows[message: row].status = section.status
    if let status = section.grpcStatus { run.rows[message: row].grpcStatus = status }
    let (method, isKnown) = run.rows.exchanges.look(Int(list[slot].exchange)) { ($0.method, $0.isRequestKnown) }
    guard (200...299).contains(section.status) || section.status == 0 && section.hasUnknown else { return }
    if section.hasContentLength { return }
    if isKnown {
      list[slot].halves[run.side].isTunnel = method == .connect
      openAnsweringWebSocket(slot, row, section.section.webSocket, &run)
    } else {
      list[slot].halves[run.side].mayBeTunnel = true
    }
  }

  /// Notes a first field section without the fields of a start-line. After a loss it may be a later section.
  private mutating func noteWithoutStart(
    _ section: inout FieldSection, _ slot: Int, _ row: RowIndex, endsStream: Bool, _ run: inout Run
  ) {
    let side = run.side
    if losses[side] > 0 {
      // Unknown fields without the end of the stream are no trailer fields.
      let isLater = !section.hidesStart || endsStream
      if isLater { list[slot].halves[side].isLossy = true }
      run.rows[message: row].flags.insert(.headerNotSeen)
    } else if !section.hasUnknown {
      run.rows[message: row].flags.insert(.fieldBlockMalformed)
      run.note(isHTTP3 ? .http3PseudoFieldMissing : .http2PseudoFieldMissing)
    }
  }

  mutating func endTrailers(_ section: inout FieldSection, _ slot: Int, endsStream: Bool, _ run: inout Run) {
    let side = run.side
    section.release(&run)
    if let status = section.grpcStatus {
      run.rows[message: list[slot].halves[side].message.row].grpcStatus = status
    }
    list[slot].halves[side].state = .content
    if section.status > 0, list[slot].halves[side].isStatusUnknown {
      // The section before was of an interim response.
      let row = list[slot].halves[side].message.row
      run.rows[message: row].status = section.status
      noteFinalResponse(slot, row, &run)
    }
    // Trailer fields end the stream (RFC 9113 §8.1), or are in error. In HTTP/3 the stream ends apart from its frames.
    if endsStream {
      endMessage(slot, side, .complete, &run)
    } else if !isHTTP3 {
      run.rows[message: list[slot].halves[side].message.row].flags.insert(.fieldBlockMalformed)
      run.note(.http2TrailersWithoutEnd)
    }
  }

  /// Shows an observer the start of a message.
  private func show(_ section: inout FieldSection, _ row: RowIndex, isRequest: Bool, _ run: inout Run) {
    guard let observer = run.contents.observer else { return }
    let (number, kind) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.kind) }
    let isInterim = !isRequest && (100...199).contains(section.status)
    section.startLineText(isRequest: isRequest, version).withOctets {
      observer.startLine($0, of: number, kind: isInterim ? .interim : kind)
    }
    for (line, nameLength) in section.fieldLines(isRequest: isRequest) {
      line.withOctets { observer.fieldLine($0, name: 0..<nameLength, value: nameLength + 2..<line.count, of: number) }
    }
    run.contents.countObserved()
  }
}

extension FieldSection {
  /// Releases its texts, which no row has.
  mutating func release(_ run: inout Run) {
    releaseRequest(&run)
  }

  /// Releases the texts that only a request has.
  mutating func releaseRequest(_ run: inout Run) { run.texts.release([method, path, authority]) }
}
