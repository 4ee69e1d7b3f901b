// The fields of rows in a part of an analysis, in order. A change here is a new version of the format.

extension Message {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder, _ texts: inout TextPool) throws(Coder.Fault) {
    try coder.integer(&number)
    try coder.integer(&exchange)
    try coder.integer(&connection)
    try coder.value(&kind)
    try coder.time(&firstTime)
    try coder.time(&lastTime)
    try coder.endpoint(&client)
    try coder.endpoint(&server)
    try coder.flag(&isSecure)
    try coder.text(&method, &texts)
    try coder.text(&host, &texts)
    try coder.value(&hostSource)
    try coder.text(&path, &texts)
    try coder.optional(&queryLength)
    try coder.integer(&status)
    try coder.text(&version, &texts)
    try coder.text(&contentType, &texts)
    try coder.text(&contentEncoding, &texts)
    try coder.text(&transferEncoding, &texts)
    try octets.code(&coder)
    try coder.optional(&decodedBody)
    try coder.integer(&retransmitted)
    try coder.integer(&overhead)
    try coder.integer(&tls)
    try coder.integer(&tunnel)
    try coder.text(&webSocket, &texts)
    try coder.integer(&missing)
    try coder.integer(&unseen)
    try coder.value(&pairing)
    try coder.value(&exactness)
    try coder.bits(&flags.rawValue)
    try coder.integer(&control)
    try coder.integer(&returned)
    try coder.bits(&target)
    try coder.flag(&isFromServer)
    try coder.bits(&alternatives.rawValue)
    try coder.bits(&streamCode)
    try coder.text(&process, &texts)
    try codeExpanded(&coder)
    try coder.optional(&grpcMessages)
    try coder.optional(&grpcStatus)
    try coder.optional(&events)
  }

  private mutating func codeExpanded<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    var lengths = expanded.raw
    try coder.difference(&lengths.startLine)
    try coder.difference(&lengths.header)
    expanded = ExpandedLengths(raw: lengths)
  }
}

extension MessageOctets {
  fileprivate mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.integer(&startLine)
    try coder.integer(&header)
    try coder.integer(&body)
    try coder.integer(&framing)
    try coder.integer(&trailer)
  }
}

extension Exchange {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder, _ texts: inout TextPool) throws(Coder.Fault) {
    try coder.integer(&number)
    try coder.integer(&connection)
    try coder.optional(&request)
    try coder.optional(&response)
    try coder.text(&method, &texts)
    try coder.text(&host, &texts)
    try coder.text(&path, &texts)
    try coder.text(&version, &texts)
    try coder.bits(&streamCode)
    try coder.integer(&status)
    try coder.time(&started)
    try coder.value(&pairing)
    try coder.optional(&timings.dns)
    try coder.optional(&timings.connect)
    try coder.optional(&timings.tls)
    try coder.optional(&timings.send)
    try coder.optional(&timings.wait)
    try coder.optional(&timings.receive)
    try coder.integer(&requestLength)
    try coder.integer(&responseLength)
    try coder.text(&process, &texts)
    try coder.integer(&tunnelLength)
    try coder.optional(&events)
    try coder.integer(&ipLength)
  }
}

extension Connection {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder, _ texts: inout TextPool) throws(Coder.Fault) {
    try coder.integer(&number)
    try coder.endpoint(&client)
    try coder.endpoint(&server)
    try coder.value(&applicationProtocol)
    try coder.time(&opened)
    try coder.time(&closed)
    try coder.directional(&packets)
    try coder.directional(&ipLength)
    try coder.directional(&payloadLength)
    try coder.integer(&setup)
    try coder.integer(&teardown)
    try coder.integer(&unattributed)
    try coder.integer(&control)
    try coder.integer(&retransmitted)
    try coder.integer(&missing)
    try coder.integer(&unseen)
    try coder.integer(&messages)
    try coder.integer(&unopened)
    try coder.text(&process, &texts)
    try coder.text(&prefix, &texts)
    try coder.bits(&quicVersion)
    var token = multipath.map { Int($0) }
    try coder.optional(&token)
    multipath = token.map { UInt32(truncatingIfNeeded: $0) }
    try coder.value(&end)
    try coder.bits(&flags.rawValue)
    var isSecured = security != nil
    try coder.flag(&isSecured)
    guard isSecured else { return security = nil }
    var known = security ?? ConnectionSecurity()
    try known.code(&coder, &texts)
    security = known
  }
}

extension ConnectionSecurity {
  fileprivate mutating func code<Coder: RowCoder>(_ coder: inout Coder, _ texts: inout TextPool) throws(Coder.Fault) {
    try coder.text(&serverName, &texts)
    try coder.text(&applicationProtocol, &texts)
    try coder.bits(&version)
    var number = suite.map { Int($0) }
    try coder.optional(&number)
    suite = number.map { UInt16(truncatingIfNeeded: $0) }
    try coder.optional(&isResumed)
    try coder.value(&opening)
    var labels = secrets.rawValue
    try coder.bits(&labels)
    secrets = KnownSecrets(rawValue: labels)
    try coder.flag(&isSuiteOpened)
    try coder.flag(&hasEncryptedHello)
    var random = clientRandomStart.map { Int($0) }
    try coder.optional(&random)
    clientRandomStart = random.map { UInt32(truncatingIfNeeded: $0) }
    try coder.integer(&handshake)
    try coder.integer(&record)
    try coder.flag(&isServerNamePublic)
    try coder.optional(&mostUnopened)
  }
}

extension ContentFacts {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.bits(&mark)
    try coder.integer(&length)
    try coder.integer(&sample)
    try coder.integer(&compressed)
  }
}

extension GRPCNotes.Note {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.time(&time)
    try coder.bits(&length)
    try coder.bits(&decoded)
    try coder.bits(&position)
    try coder.flag(&isCompressed)
    try coder.flag(&isDecoded)
  }
}

extension AnomalyCount {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.integer(&count)
    try coder.time(&firstTime)
    try coder.integer(&firstConnection)
    try coder.octets(&example)
  }
}

extension FieldNotes.Line {
  mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.bits(&name)
    try coder.flag(&isPseudo)
    try coder.flag(&isHeader)
    var lengths = (wire: Int(length), expanded: Int(expanded))
    try coder.difference(&lengths.wire)
    try coder.difference(&lengths.expanded)
    length = Int32(truncatingIfNeeded: lengths.wire)
    expanded = Int32(truncatingIfNeeded: lengths.expanded)
    try coder.bits(&value)
  }
}
