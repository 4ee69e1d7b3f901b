// The search for the next record behind lost octets, by a matching header and a tag that verifies.

extension TLSSession {
  /// The number of candidates tried on one side, for all its gaps. A hostile stream may consist of matching headers.
  static var searchAttemptLimit: Int { 256 }

  /// Whether a record can be found. It needs a tag, and a fixed difference between record and content.
  func canSearch(_ side: Side) -> Bool {
    guard inner != nil, !sides[side].isClosed, let opener = sides[side].opener,
      opener.value.attempts < Self.searchAttemptLimit
    else {
      return false
    }
    return opener.value.protection?.expansion != nil
  }

  /// Searches the next octets of a side for a record, and takes them all.
  mutating func search(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    if !sides[side].isSearching {
      sides[side].isSearching = true
      sides[side].recordStart = sides[side].next
    }
    octets.append(0..<octets.byteCount, to: &opener.value.searched)
    sides[side].next += octets.byteCount
    var offset = 0
    while offset < opener.value.searched.count {
      guard let length = candidate(side, at: offset) else {
        offset += 1
        continue
      }
      // The record is not complete yet.
      guard offset + TLSRecords.headerLength + length <= opener.value.searched.count else { break }
      if let sequence = verify(side, at: offset, length, &run) { return goOn(side, at: offset, sequence, &run) }
      guard canSearch(side) else { return abandonSearch(side, &run) }
      offset += 1
    }
    pass(side, offset, &run)
  }

  /// The number of octets behind a possible header at an offset of the searched octets; nil without one.
  ///
  /// Too few octets may be the start of a header.
  private func candidate(_ side: Side, at offset: Int) -> Int? {
    guard let opener = sides[side].opener, let expansion = opener.value.protection?.expansion else { return nil }
    let header = sides[side].header
    return opener.value.searched.withOctets { octets in
      let left = octets.byteCount - offset
      guard octets.octet(offset) == TLSSide.ContentType.applicationData else { return nil }
      for index in 1..<min(3, max(left, 1)) where octets.octet(offset + index) != header[index] { return nil }
      guard left >= TLSRecords.headerLength else { return TLSRecords.longestRecord }
      let length = Int(octets.bigEndian16(offset + 3))
      let isPossible = length >= expansion - TLSRecords.headerLength && length <= TLSRecords.longestRecord
      return isPossible ? length : nil
    }
  }

  /// The number under which a record verifies; nil when it does not verify.
  private mutating func verify(_ side: Side, at offset: Int, _ length: Int, _ run: inout Run) -> UInt64? {
    guard let opener = sides[side].opener else { return nil }
    opener.value.attempts += 1
    var memory: [UInt8] = []
    swap(&memory, &run.openedOctets)
    defer { swap(&memory, &run.openedOctets) }
    if memory.count < TLSRecords.longestRecord { memory = Array(repeating: 0, count: TLSRecords.longestRecord) }
    var header: InlineArray<5, UInt8> = .init(repeating: 0)
    for index in 0..<5 { header[index] = opener.value.searched[offset + index] }
    let searched = opener.value.searched
    let body = offset + TLSRecords.headerLength..<offset + TLSRecords.headerLength + length
    return searched.withOctets { octets in
      for lost in 0...UInt64(max(run.configuration.recordSearchLimit, 0)) {
        let sequence = opener.value.sequence &+ lost
        let opened = opener.value.protection?.open(
          header, octets.extracting(body), sequence: sequence, into: &memory)
        if opened != nil { return sequence }
      }
      return nil
    }
  }

  /// Continues with a found record. Octets before it are lost.
  private mutating func goOn(_ side: Side, at offset: Int, _ sequence: UInt64, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    pass(side, offset, &run)
    var rest: [UInt8] = []
    swap(&rest, &opener.value.searched)
    sides[side].isSearching = false
    sides[side].isLost = false
    sides[side].headerCount = 0
    sides[side].remaining = 0
    sides[side].next = sides[side].recordStart
    missRecords(side, Int(sequence &- opener.value.sequence), &run)
    opener.value.sequence = sequence
    opener.value.mayHaveLost = false
    let taken = rest.withOctets { read(side, $0, &run) }
    // No record waits for an answer here. Early data is over when any record has been opened.
    assert(taken == rest.count)
  }

  /// Skips the content of lost records between the lost and the found boundary.
  ///
  /// The content is their octets without headers and tags. That is nearly always right, since padding is rare.
  private mutating func missRecords(_ side: Side, _ records: Int, _ run: inout Run) {
    guard let inner, let opener = sides[side].opener, let expansion = opener.value.protection?.expansion else { return }
    let octets = sides[side].next - sides[side].lostStart
    let count = octets - records * expansion
    guard records > 0, count > 0 else { return }
    sides[side].hasUnopened = true
    if !opener.value.held.isEmpty {
      innerNeeds = withInner(&run) { inner.stopWaiting(side, &$0) }
      offerHeld(&run)
    }
    let position = opener.value.map.end
    opener.value.map.append(
      RecordMap.PlacedRecord(
        start: sides[side].lostStart, content: position, count: UInt32(clamping: count),
        length: UInt32(clamping: octets), leading: 0, isOpened: false),
      limit: run.configuration.rememberedRecordLimit)
    innerNeeds = withInner(&run) { inner.skipMissing(side, count, at: position, &$0) }
    run.countMissing(-count)
  }

  /// Passes searched octets that cannot belong to a record.
  private mutating func pass(_ side: Side, _ count: Int, _ run: inout Run) {
    guard count > 0, let opener = sides[side].opener else { return }
    let end = sides[side].recordStart + count
    settle(side, count, .other, &run, endingAt: end)
    opener.value.searched.removeFirst(count)
    sides[side].recordStart = end
  }

  /// Ends the search. The kept octets do not belong to a record.
  mutating func abandonSearch(_ side: Side, _ run: inout Run) {
    guard sides[side].isSearching, let opener = sides[side].opener else { return }
    pass(side, opener.value.searched.count, &run)
    opener.value.searched = []
    sides[side].isSearching = false
  }
}
