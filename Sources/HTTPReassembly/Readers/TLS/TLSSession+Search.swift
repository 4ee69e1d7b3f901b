// The search for the next record behind lost octets, by a matching header and a tag that verifies.

extension TLSSession {
  /// The number of candidates tried on one side, for all its gaps. A hostile stream may consist of matching headers.
  static var searchAttemptLimit: Int { 256 }

  /// Whether a record can be found: keys are known, and not too many candidates have been tried.
  mutating func canSearch(_ side: Side, _ run: inout Run) -> Bool {
    guard prepareOpener(side, &run), let opener = sides[side].opener else { return false }
    return opener.value.attempts < Self.searchAttemptLimit
  }

  /// The number of records by which a name is looked for behind lost octets. All secrets are tried, each some microseconds.
  static var nameAttemptLimit: Int { 4 }
  /// The number of records that a server's handshake has, one for each message.
  private static var handshakeRecords: UInt64 { 4 }

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
      if let found = verify(side, at: offset, length, &run) { return goOn(side, at: offset, found, &run) }
      guard canSearch(side, &run) else { return abandonSearch(side, &run) }
      offset += 1
    }
    pass(side, offset, &run)
  }

  /// The number of octets behind a possible header at an offset of the searched octets; nil without one.
  ///
  /// Too few octets may be the start of a header.
  private func candidate(_ side: Side, at offset: Int) -> Int? {
    guard let opener = sides[side].opener, let negotiation else { return nil }
    let least = expansion(side) - TLSRecords.headerLength
    let version = negotiation.value.isTLS13 ? 0x0303 : negotiation.value.version
    let header = [UInt8(version >> 8), UInt8(version & 0xff)]
    return opener.value.searched.withOctets { octets in
      let left = octets.byteCount - offset
      switch octets.octet(offset) {
      case TLSSide.ContentType.applicationData: break
      // A handshake within the data: TLS up to 1.2 tells the type outside.
      case TLSSide.ContentType.handshake, TLSSide.ContentType.changeCipherSpec:
        if negotiation.value.isTLS13 { return nil }
      default: return nil
      }
      for index in 1..<max(min(3, left), 1) where octets.octet(offset + index) != header[index - 1] { return nil }
      guard left >= TLSRecords.headerLength else { return TLSRecords.longestRecord }
      let length = Int(octets.bigEndian16(offset + 3))
      let isPossible = length >= least && length <= TLSRecords.longestRecord
      return isPossible ? length : nil
    }
  }

  /// A record that verifies.
  struct FoundRecord {
    /// Its number.
    var sequence: UInt64
    /// The index of the candidate keys that open it; nil for the keys in use.
    var candidate: Int?
  }

  /// Tries to open a record, with the keys in use and later ones; nil when it does not verify.
  private mutating func verify(_ side: Side, at offset: Int, _ length: Int, _ run: inout Run) -> FoundRecord? {
    guard let opener = sides[side].opener else { return nil }
    opener.value.attempts += 1
    var memory: [UInt8] = []
    swap(&memory, &run.records.opened)
    defer { swap(&memory, &run.records.opened) }
    if memory.count < TLSRecords.longestRecord { memory = Array(repeating: 0, count: TLSRecords.longestRecord) }
    var header: InlineArray<5, UInt8> = .init(repeating: 0)
    for index in 0..<5 { header[index] = opener.value.searched[offset + index] }
    let searched = opener.value.searched
    let body = offset + TLSRecords.headerLength..<offset + TLSRecords.headerLength + length
    let lost = LostCount(
      octets: sides[side].recordStart + offset - sides[side].lostStart, expansion(side),
      negotiation?.value.isTLS13 ?? false)
    let free = max(run.configuration.recordSearchLimit, 0)
    run.records.earnTrials(run.ledger.total)
    if opener.value.attempts <= Self.nameAttemptLimit, needsName(side, run) {
      _ = searched.withOctets {
        findName(side, header, $0.extracting(body), numbers: Self.handshakeRecords, into: &memory, &run)
      }
    }
    makeCandidates(side, &run)
    return searched.withOctets { octets in
      func number(
        _ protection: inout RecordProtection, from first: UInt64, _ counts: Range<Int>, isPaid: Bool
      ) -> UInt64? {
        for count in counts {
          guard !isPaid || run.records.trialOctets.take(Self.trialCost + length) else { return nil }
          protection.resume(behind: octets.extracting(0..<offset))
          let number = first &+ UInt64(count)
          if protection.open(header, octets.extracting(body), sequence: number, into: &memory) != nil { return number }
        }
        return nil
      }
      // Usual numbers of all keys are tried first.
      for isPaid in [false, true] {
        if var protection = opener.value.protection {
          let counts = lost.counts(from: lost.fewest, free: free, isPaid)
          if let number = number(&protection, from: opener.value.sequence, counts, isPaid: isPaid) {
            return FoundRecord(sequence: number)
          }
        }
        for index in opener.value.candidates.indices {
          var protection = opener.value.candidates[index].protection
          let counts = lost.counts(from: 0, free: free, isPaid)
          if let number = number(&protection, from: 0, counts, isPaid: isPaid) {
            return FoundRecord(sequence: number, candidate: index)
          }
        }
      }
      return nil
    }
  }

  /// The octets that a trial costs beside those of its record.
  private static var trialCost: Int { 512 }

  /// How many protected records may lie in lost octets.
  private struct LostCount {
    var fewest = 0
    var most = 0

    /// `expansion` is the least length of a record, header included.
    init(octets: Int, _ expansion: Int, _ isTLS13: Bool) {
      let longest = TLSRecords.headerLength + (isTLS13 ? TLSRecords.longestRecord13 : TLSRecords.longestRecord)
      fewest = max(octets, 0) / longest
      most = max(octets, 0) / max(expansion, 1)
    }

    /// The numbers of lost records that are tried from a first one on: `free` further ones, and then all that are possible.
    func counts(from first: Int, free: Int, _ isPaid: Bool) -> Range<Int> {
      let end = first + free + 1
      return isPaid ? end..<max(most + 1, end) : first..<end
    }
  }

  /// Continues with a found record. Octets before it are lost.
  private mutating func goOn(_ side: Side, at offset: Int, _ found: FoundRecord, _ run: inout Run) {
    guard let opener = sides[side].opener else { return }
    let lastOctets = Array(opener.value.searched[max(offset - RecordProtection.chainedLength, 0)..<offset])
    pass(side, offset, &run)
    var rest: [UInt8] = []
    swap(&rest, &opener.value.searched)
    sides[side].isSearching = false
    sides[side].isLost = false
    sides[side].headerCount = 0
    sides[side].remaining = 0
    sides[side].next = sides[side].recordStart
    noteLoss(side, from: sides[side].lostStart)
    if let candidate = found.candidate {
      adoptCandidate(candidate, side, sequence: found.sequence, &run)
      sides[side].hasUnopened = true
      judgeLosses(side, sequence: found.sequence, isFirst: true, &run)
      opener.value.isFirst = false
    } else {
      missRecords(side, Int(clamping: found.sequence &- opener.value.sequence), &run)
    }
    opener.value.sequence = found.sequence
    opener.value.mayHaveLost = false
    lastOctets.withOctets { opener.value.protection?.resume(behind: $0) }
    // A record that opens tells what the server's lost answer would: the next ones are early data only where this one is.
    if waitsForAnswer(side) { negotiation?.value.takesEarlyData = opener.value.epoch == .early }
    let left = rest.count - rest.withOctets { read(side, $0, &run) }
    // Searched octets have left the stream: they cannot wait for anything more.
    if left > 0 { settle(side, left, .other, &run) }
    sides[side].next += left
  }

  /// Skips the content of lost records between the lost and the found boundary, under the same keys.
  ///
  /// The content is their octets without headers and tags. That is exact without padding.
  private mutating func missRecords(_ side: Side, _ records: Int, _ run: inout Run) {
    guard let opener = sides[side].opener, let losses = sides[side].losses else { return }
    let range = losses.start..<max(sides[side].next, losses.start)
    let count = range.count - records * expansion(side)
    guard records > 0, opener.value.epoch != .handshake else {
      sides[side].losses = nil
      return offerHeld(&run)
    }
    sides[side].hasUnopened = true
    let isExact =
      count > 0 && !losses.isDue && opener.value.protection?.expansion != nil && !opener.value.hasPadding
    sides[side].losses?.isDue = true
    sides[side].losses?.end = range.upperBound
    sides[side].losses?.count = max(count, 1)
    sides[side].losses?.certainty = isExact ? .exact : .estimated
    // Before the first data there is no inner session yet. It is told once it begins.
    tellLosses(side, &run)
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
