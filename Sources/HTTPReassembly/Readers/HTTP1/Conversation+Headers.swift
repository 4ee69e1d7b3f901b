// The results of header sections: framing, host, and switches of protocols.

import Packets

extension Conversation {
  mutating func fieldLine(_ line: RawSpan, _ found: FieldLine?, isASCII: Bool, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    let row = row(run)
    if !isASCII, let header = headers[run.side], !header.section.notedNonASCII {
      header.section.notedNonASCII = true
      run.note(.httpNonASCII, example: line)
    }
    run.contents.observer?.fieldLine(line, name: found?.name, value: found?.value, of: run.rows[message: row].number)
    guard let field = found else { return note(.httpFieldLineMalformed, .fieldLineMalformed, line, &run) }
    if run.notes.fields.isWanted {
      let end = run.rows[message: row].flags.contains(.bareLineFeed) ? 1 : 2
      let note = run.notes.fields.line(
        line.extracting(field.name), line.extracting(field.value), length: line.byteCount + end)
      run.notes.fields.add(note, to: row)
    }
    if field.hasSpaceBeforeColon { note(.httpSpaceBeforeColon, .fieldLineMalformed, line, &run) }
    guard let known = KnownField(line, field.name), let header = headers[run.side] else { return }
    header.section.take(known, line, field.value, of: row, &run)
  }

  mutating func endOfHeaders(_ run: inout Run) -> BodyFraming {
    guard !owners.look(run.side, { $0.isEmpty }), let header = headers[run.side] else { return .none }
    headers[run.side] = nil
    return endOfHeaders(header.section, &run)
  }

  mutating func endOfHeaders(_ header: HeaderSection, _ run: inout Run) -> BodyFraming {
    let row = row(run)
    let (kind, status, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.status, $0.exchange)
    }
    let framing: BodyFraming
    if kind == .request {
      finishRequestHeaders(header, &run)
      framing = header.framing.request()
      if framing != .none {
        requestLengths.noteContent()
        change(exchange, &run) { $0.hasContent = true }
      }
    } else {
      let known = knownMethod(of: exchange, run)
      // A close-delimited message would take all octets behind it, and HEAD omits content. Both need a certain request.
      // If the client does not pipeline, one acknowledgment is enough for HEAD, until something other than a response
      // follows.
      let isPaired = run.rows[message: row].pairing == .exact
      let method = known == .head && !isPaired && isPipelined ? nil : known
      let ordinary = header.framing.response(status: status, to: method ?? .ordinary)
      let isCertain = method != nil && (ordinary != .untilClose || isPaired)
      framing = isCertain ? ordinary : ordinary.unconfirmed
      // The response may be to a HEAD request that was lost. The next message confirms its end, and chunks show their own.
      if method == .head || ordinary != .none && ordinary != .chunked, !isPaired {
        run.rows.messages[Int(row)].doubts.insert(.end)
      }
      if framing != ordinary {
        run.rows.messages[Int(row)].doubts.insert(.end)
        run.rows.messages[Int(row)].announcesContent = framing != .unconfirmed(.length, 0)
      }
      if kind == .response { decideSwitch(framing, header, exchange, &run) }
    }
    flag(framing, header.framing, &run)
    if !header.alternatives.isEmpty { run.rows[message: row].alternatives = header.alternatives }
    if framing != .none, framing != .tunnel { startContent(of: row, header.grpcEncoding, &run) }
    return framing
  }

  private mutating func finishRequestHeaders(_ header: HeaderSection, _ run: inout Run) {
    let row = row(run)
    if header.hostCount == 0 {
      let (source, version) = run.rows.messages.look(Int(row)) { ($0.message.hostSource, $0.message.version) }
      if source == .unknown, run.texts.last(version) == 0x31 { note(.httpHostMissing, .hostMissing, &run) }
    } else if header.hostCount > 1 {
      note(.httpHostRepeated, .hostRepeated, &run)
    }
    nameHost(&run)
    let asks = header.hasUpgrade && header.connectionUpgrades
    webSocket = asks && header.webSocket.contains(.named) ? header.webSocket : []
    var isAsked = asks
    change(run.rows.messages.look(Int(row)) { $0.exchange }, &run) { exchange in
      if exchange.method == .connect { isAsked = true }
      exchange.asksToSwitch = isAsked
      exchange.asksForHTTP2 = asks && header.upgradesToHTTP2
      exchange.tableSize = header.tableSize
    }
    asksToSwitch = isAsked
  }

  /// Names a request without host by the layers beneath, else by its server's address (MEASURES §2).
  mutating func nameHost(_ run: inout Run) {
    run.nameHost(of: row(run), server: 1 - run.side)
    nameExchange(&run)
  }

  /// Gives a request's exchange the request's host.
  mutating func nameExchange(_ run: inout Run) {
    let row = row(run)
    let (host, source, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.host, $0.message.hostSource, $0.exchange)
    }
    run.texts.retain(host)
    change(exchange, &run) { exchange in
      exchange.exchange.host = host
      exchange.hostSource = source
    }
  }

  @inline(__always)
  private mutating func flag(_ framing: BodyFraming, _ fields: FramingFields, _ run: inout Run) {
    let row = row(run)
    if fields.isOdd { flagOddities(fields, &run) }
    if fields.hasTransferEncoding, run.texts.last(run.rows[message: row].version) == 0x30 {
      note(.httpTransferEncodingInHTTP10, .transferEncodingInHTTP10, &run)
    }
    if framing == .untilClose || framing == .unconfirmed(.untilClose, 0) {
      run.rows[message: row].flags.insert(.closeDelimited)
    }
  }

  @inline(never)
  private mutating func flagOddities(_ fields: FramingFields, _ run: inout Run) {
    if fields.isContentLengthInvalid { note(.httpContentLengthInvalid, .contentLengthInvalid, &run) }
    if fields.isContentLengthConflicting { note(.httpContentLengthConflicting, .contentLengthConflicting, &run) }
    if fields.isContentLengthRepeated { note(.httpContentLengthRepeated, .contentLengthRepeated, &run) }
    guard fields.hasTransferEncoding else { return }
    if fields.hasContentLength {
      note(.httpContentLengthWithTransferEncoding, .contentLengthWithTransferEncoding, &run)
    }
    if !fields.isChunkedLast {
      note(.httpTransferEncodingNotChunked, .transferEncodingUnusual, &run)
    } else if fields.isChunkedMisplaced {
      note(.httpTransferEncodingUnknown, .transferEncodingUnusual, &run)
    }
  }

  private mutating func decideSwitch(
    _ framing: BodyFraming, _ header: HeaderSection, _ exchange: Int, _ run: inout Run
  ) {
    let waits = read(exchange, run) { $0.asksToSwitch } ?? false
    webSocket = framing == .tunnel && header.webSocket.contains(.named) ? header.webSocket : []
    // The request may have been lost.
    if framing == .tunnel, header.upgradesToHTTP2,
      read(exchange, run, { $0.asksForHTTP2 || $0.exchange.request == nil }) != false
    {
      isUpgraded = true
    } else if framing == .tunnel {
      isTunnel = true
      run.connection.added.flags.insert(.tunnel)
    }
    guard framing == .tunnel || waits else { return }
    asksToSwitch = false
    answer = framing == .tunnel
    change(exchange, &run) { $0.switches = framing == .tunnel }
  }

  private mutating func startContent(of row: RowIndex, _ encoding: GRPCEncoding, _ run: inout Run) {
    var parts = OpenContent.parts(of: row, run)
    // Native gRPC needs HTTP/2.
    if case .grpc(.native) = parts { parts = nil }
    let isCoded = run.rows.messages.look(Int(row)) {
      $0.message.contentEncoding != .none || $0.message.transferEncoding != .none
    }
    guard isCoded || parts != nil || run.contents.observer != nil || run.notes.contents.isWanted else { return }
    openContent(run)
    contents[run.side]?.value.start(of: row, parts, encoding, &run)
  }

  /// Prepares to inspect or decode content.
  mutating func openContent(_ run: borrowing Run) {
    if contents[run.side] == nil { contents[run.side] = OwnMemory(OpenContent()) }
    contents[run.side]?.value.isOpen = true
  }
}
