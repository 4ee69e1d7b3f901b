// Insertions that were not seen, and the entries from before them (MEASURES §10).

extension HPACKDynamicTable {
  /// Notes that octets of blocks were lost, which inserted fields unseen, or changed the size.
  mutating func lose(octets: Int, isCut: Bool) {
    guard octets > 0 else { return }
    maximumSize = nil
    let isOlderComplete = isComplete
    isComplete = false
    // No block has told anything since the last ones were lost.
    let usual = usual
    if gap?.loss.block == block {
      gap?.add(octets: octets, isCut: isCut, usual)
      return
    }
    leaveOlder()
    let newer = gap?.newer ?? 0
    guard entries.count > newer else { return forget() }
    // The entries between two gaps are lost.
    for _ in 0..<newer { removeLast() }
    let next = HPACKGap(
      HPACKLoss(octets: octets, block: block, cuts: isCut ? 1 : 0), usual, behind: gap, block: block,
      isOlderComplete: isOlderComplete)
    guard !next.candidates.isEmpty else { return forget() }
    gap = next
  }

  /// Forgets the entries from before the gap if they have probably left the table, or the last block did without them.
  private mutating func leaveOlder() {
    guard let gap else { return }
    let older = entries.count - gap.newer
    let newest = (older..<entries.count).reduce(32 * gap.least) { $0 + entries[$1].size }
    if gap.newer > 0, !gap.isInUse || 4 * newest > 3 * likelySize { loseOlder() }
  }

  /// Notes how many blocks were lost last, as far as their streams tell.
  mutating func expect(blocks: Int) {
    let usual = usual
    gap?.expect(blocks: blocks, usual)
  }

  /// Whether it is uncertain which entries older indices refer to.
  var hasGap: Bool { gap != nil }

  /// The entry from before the gap at an index that counts from the gap's end, with `number` insertions in the gap. Nil for one of those.
  ///
  /// - Returns: `isPossible` is false if there can be no such entry.
  func older(_ index: Int, _ number: Int) -> (entry: Insertion?, isPossible: Bool) {
    guard let gap, index >= number else { return (nil, true) }
    let place = entries.count - gap.newer - 1 - (index - number)
    return place >= 0 ? (entries[place], true) : (nil, !gap.isOlderComplete)
  }

  /// Keeps the possible numbers of insertions in the gap. `references` are those of a block to entries from before its end,
  /// and `names` all its names.
  mutating func keep(
    _ candidates: [HPACKGap.Candidate], _ references: [HPACKGap.Reference], _ names: [HPACKGap.Name]
  ) {
    guard var gap else { return }
    gap.candidates = candidates
    let new = gap.takeNew(references)
    if !new.isEmpty {
      // Later blocks lack the same fields for the same reason, so the first one alone counts.
      let names = gap.weighed == 1 ? names : []
      gap.weigh(new, names, HPACKEvidence(entries, gap, likelySize: likelySize, uses: uses, moves: moves))
    }
    if new.isEmpty { gap.renew(usual) }
    self.gap = gap
    // The sender is in error, or has changed the size of the table unseen.
    guard gap.isPossible else { return loseOlder() }
    if let number = gap.number { close(gap, number) }
  }

  /// Ends the gap, whose number of insertions is known.
  private mutating func close(_ gap: HPACKGap, _ number: Int) {
    let all = entries
    let older = all.count - gap.newer
    entries = IndexRing()
    for index in 0..<older {
      entries.append(all[index])
      // Their uses were not counted meanwhile.
      entries[index].block &+= block &- gap.block
      if entries[index].lastUse > 0 { entries[index].lastUse &+= block &- gap.block }
    }
    let start = gap.newer > 0 ? all[older].start : Int32(octets.count)
    for _ in 0..<number {
      entries.append(
        Insertion(
          start: start, nameLength: 0, valueLength: 0, isNameKnown: false, isValueKnown: false, block: gap.block))
    }
    for index in older..<all.count { entries.append(all[index]) }
    addSize(32 * number)
    self.gap = nil
    isComplete = gap.isOlderComplete
  }

  /// Forgets the entries from before the gap.
  private mutating func loseOlder() {
    guard let gap else { return }
    self.gap = nil
    for _ in gap.newer..<entries.count { removeFirst() }
    isComplete = false
  }

  /// The known parts of an entry from before the gap, in which all possible numbers of insertions agree.
  @inline(never)
  func entry(_ index: Int, behind gap: HPACKGap) -> Insertion? {
    guard !gap.isOpen else { return nil }
    var found: Insertion?
    for candidate in gap.candidates {
      guard let entry = older(index, candidate.number).entry else { return nil }
      guard var known = found else {
        found = entry
        continue
      }
      guard known.isNameKnown, entry.isNameKnown, name(known).elementsEqual(name(entry)) else { return nil }
      known.isValueKnown = false
      found = known
    }
    return found
  }

  private func name(_ entry: Insertion) -> ArraySlice<UInt8> {
    octets[Int(entry.start)..<Int(entry.start + entry.nameLength)]
  }
}
