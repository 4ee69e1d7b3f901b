import Packets

/// Reads the field sections of one direction of a connection (RFC 9204), and the encoder stream beside them.
///
/// It loses no octets: the lengths of a section's parts always add up to its length. Parts that refer to unknown entries are unknown. A
/// section may refer to entries that come later (`readiness`). Its reading changes no table, so a damaged section harms no other one.
package struct QPACKDecoder {
  private var table: QPACKDynamicTable
  /// The strings of the current representation.
  private var strings: CodedStrings
  /// Octets of an instruction whose end has not come, and the least number of octets that it has.
  private var pending: [UInt8] = []
  private var needed = 0
  private let keptLimit: Int
  /// The largest capacity that the other side allows (SETTINGS_QPACK_MAX_TABLE_CAPACITY); nil while unknown.
  private var largestCapacity: Int?
  /// Whether the other side's settings cannot be known.
  private var areSettingsLost = false
  /// Whether instructions were lost, so that later ones cannot be told apart.
  private(set) var isLost = false
  /// The maximum number of entries that were inserted unseen: each has an octet at least.
  private var unseen = 0
  /// The entries that the current section may refer to, and the base of its indices; nil if they are unknown.
  private var section: (inserts: Int, base: Int)?

  /// - Parameters:
  ///   - keptLimit: The maximum number of kept octets of the dynamic table.
  ///   - familiar: Strings that came before.
  package init(keptLimit: Int, familiar: OwnMemory<FamiliarStrings> = OwnMemory(FamiliarStrings())) {
    strings = CodedStrings(familiar)
    table = QPACKDynamicTable(keptLimit: keptLimit)
    self.keptLimit = keptLimit
  }

  /// Octets of memory on the heap.
  @inline(__always)
  package var memory: Int { table.memory + strings.memory + pending.capacity }

  /// The number of entries that were inserted.
  package var inserted: Int { table.inserted }

  /// Takes the other side's limit for the table, in octets.
  package mutating func allow(capacity: Int) { if largestCapacity == nil { largestCapacity = capacity } }

  /// Notes that the other side's settings were lost.
  mutating func loseSettings() { areSettingsLost = true }

  // MARK: The encoder stream

  /// Takes octets of the encoder stream. Returns false if they are malformed.
  package mutating func takeInstructions(_ octets: RawSpan) -> Bool {
    guard !isLost else {
      unseen = min(unseen + octets.byteCount, Self.unknownNumber)
      return true
    }
    guard !pending.isEmpty else { return readInstructions(octets, isPending: false) }
    octets.append(0..<octets.byteCount, to: &pending)
    guard pending.count >= needed else { return true }
    let all = pending
    pending = []
    return all.withOctets { readInstructions($0, isPending: true) }
  }

  /// Notes that octets of the encoder stream were lost. Later instructions cannot be told apart.
  ///
  /// - Parameter octets: The number of octets; nil if it is unknown.
  package mutating func lose(octets: Int?) {
    let waiting = pending.count
    isLost = true
    pending = []
    unseen = octets.map { min(unseen + waiting + $0, Self.unknownNumber) } ?? Self.unknownNumber
  }

  private static var unknownNumber: Int { 1 << 40 }

  private mutating func readInstructions(_ octets: RawSpan, isPending: Bool) -> Bool {
    var offset = 0
    var isValid = true
    while offset < octets.byteCount {
      switch QPACKInstruction(octets, at: offset) {
      case .complete(let length):
        if !execute(octets.extracting(offset..<offset + length)) { isValid = false }
        offset += length
      case .incomplete(let least) where least <= 2 * keptLimit:
        needed = least
        octets.append(offset..<octets.byteCount, to: &pending)
        return isValid
      case .incomplete, .invalid:
        lose(octets: octets.byteCount - offset)
        return false
      }
    }
    return isValid
  }

  /// Executes an instruction. Returns false if it is malformed.
  private mutating func execute(_ octets: RawSpan) -> Bool {
    strings.begin()
    let first = octets.octet(0)
    var offset = 0
    var field = CodedField(length: octets.byteCount)
    var entry = QPACKDynamicTable.DynamicEntry()
    let isInsertion = first & 0xc0 != 0
    if first & 0x80 != 0 {
      guard let index = CodedStrings.integer(octets, &offset, prefix: 6) else { return false }
      if first & 0x40 != 0 {
        if index < QPACKStaticTable.places.count {
          entry.name = QPACKStaticTable.places[index].name
        } else {
          field.isMalformed = true
        }
      } else if let known = table.entry(table.inserted - 1 - index) {
        entry.name = known.name
      } else {
        field.isMalformed = true
      }
    } else if first & 0x40 != 0 {
      entry.name = strings.string(octets, &offset, &field, prefix: 5) ?? .unknown
      entry.name.kind = withOctets(of: entry.name, in: octets) { FieldNameKind($0) }
    } else if first & 0x20 != 0 {
      guard let capacity = CodedStrings.integer(octets, &offset, prefix: 5) else { return false }
      table.resize(to: capacity)
      return largestCapacity.map { capacity <= $0 } ?? true
    } else {
      guard let index = CodedStrings.integer(octets, &offset, prefix: 5) else { return false }
      if let known = table.entry(table.inserted - 1 - index) { entry = known } else { field.isMalformed = true }
    }
    if isInsertion {
      entry.value = strings.string(octets, &offset, &field) ?? .unknown
      entry.valueMark = strings.mark
    }
    let decoded = strings.decoded
    let fits = table.insert(entry) { text, room in
      if text.origin == .block {
        octets.append(text.range, to: &room)
      } else {
        room.append(contentsOf: decoded[text.range])
      }
    }
    return fits && !field.isMalformed
  }

  // MARK: Sections

  /// Whether a section can be read.
  package enum Readiness: Equatable {
    case ready
    /// It refers to entries that have not come: this many must have come.
    case waiting(inserts: Int)
  }

  /// Whether a section can be read now. `since` is the number of entries when the first octet of its stream came.
  package func readiness(of section: RawSpan, since: Int) -> Readiness {
    guard !isLost else { return .ready }
    var offset = 0
    guard section.byteCount > 0, let encoded = CodedStrings.integer(section, &offset, prefix: 8), encoded > 0 else {
      return .ready
    }
    guard largestCapacity != nil else { return areSettingsLost ? .ready : .waiting(inserts: 0) }
    guard let inserts = requiredInserts(encoded, since: since), inserts > table.inserted else { return .ready }
    return .waiting(inserts: inserts)
  }

  /// Whether a section that waits for entries can be read now.
  func isReady(inserts: Int) -> Bool {
    isLost || (largestCapacity != nil || areSettingsLost) && table.inserted >= inserts
  }

  /// The number of entries that a section needs (RFC 9204 §4.5.1.1); nil if it cannot be told. It is coded modulo a number.
  private func requiredInserts(_ encoded: Int, since: Int) -> Int? {
    guard encoded > 0 else { return 0 }
    guard let largestCapacity, largestCapacity >= 32 else { return nil }
    let entries = largestCapacity / 32
    let full = 2 * entries
    guard encoded <= full else { return nil }
    let most = table.inserted + unseen + entries
    let rest = encoded - 1
    guard most >= rest else { return nil }
    let largest = most - (most - rest) % full
    // No section refers to entries that were evicted before its stream began.
    let least = max(since - entries, 0)
    guard largest > least, largest - full <= least else { return nil }
    return largest
  }

  /// Begins a section. `since` is the number of entries when the first octet of its stream came.
  package mutating func startSection(_ block: RawSpan, since: Int, at offset: inout Int) -> CodedStep {
    section = nil
    offset = 0
    var field = CodedField(length: 0)
    field.isInstruction = true
    guard block.byteCount > 0, let encoded = CodedStrings.integer(block, &offset, prefix: 8), offset < block.byteCount
    else {
      offset = 0
      return block.byteCount == 0 ? .end : .undecodable
    }
    let isBefore = block.octet(offset) & 0x80 != 0
    guard let delta = CodedStrings.integer(block, &offset, prefix: 7) else {
      offset = 0
      return .undecodable
    }
    field.length = offset
    guard let inserts = requiredInserts(encoded, since: since) else {
      if let largestCapacity, !isLost { field.isMalformed = encoded > 2 * (largestCapacity / 32) }
      return .field(field)
    }
    let base = isBefore ? inserts - delta - 1 : inserts + delta
    if base < 0 { field.isMalformed = true } else { section = (inserts, base) }
    return .field(field)
  }

  /// Whether a section, or what was seen of it, starts with a status; nil if its first field is unknown.
  mutating func startsWithStatus(_ block: RawSpan, since: Int) -> Bool? {
    var offset = 0
    var step = startSection(block, since: since, at: &offset)
    if case .field = step { step = next(block, at: &offset) }
    switch step {
    case .end, .undecodable: return nil
    case .field(let field):
      return field.name.isKnown ? field.name.kind == .status : nil
    }
  }

  /// Reads the representation at `offset` of the section, and moves `offset` behind it (RFC 9204 §4.5).
  package mutating func next(_ block: RawSpan, at offset: inout Int) -> CodedStep {
    let start = offset
    guard start < block.byteCount else { return .end }
    strings.begin()
    let first = block.octet(start)
    var field = CodedField(length: 0)
    let isRead: Bool
    if first & 0x80 != 0 {
      isRead = take(block, &offset, &field, prefix: 6, isStatic: first & 0x40 != 0)
    } else if first & 0x40 != 0 {
      isRead =
        take(block, &offset, &field, prefix: 4, isStatic: first & 0x10 != 0) && takeValue(block, &offset, &field)
    } else if first & 0x20 != 0 {
      isRead = takeName(block, &offset, &field) && takeValue(block, &offset, &field)
    } else if first & 0x10 != 0 {
      isRead = takeBehindBase(block, &offset, &field, prefix: 4)
    } else {
      isRead = takeBehindBase(block, &offset, &field, prefix: 3) && takeValue(block, &offset, &field)
    }
    guard isRead else {
      offset = start
      return .undecodable
    }
    field.length = offset - start
    return .field(field)
  }

  private mutating func takeName(_ block: RawSpan, _ offset: inout Int, _ field: inout CodedField) -> Bool {
    guard let name = strings.string(block, &offset, &field, prefix: 3) else { return false }
    field.name = name
    field.name.kind = withOctets(of: name, in: block) { FieldNameKind($0) }
    return true
  }

  private mutating func takeValue(_ block: RawSpan, _ offset: inout Int, _ field: inout CodedField) -> Bool {
    field.valueMark = 0
    field.value = .unknown
    guard let value = strings.string(block, &offset, &field) else { return false }
    field.value = value
    field.valueMark = strings.mark
    return true
  }

  /// Takes the field at an index of the static table, or before the base. Returns false if the index is incomplete.
  ///
  /// It is mutating, as those below are, so that the decoder is not copied for the call.
  private mutating func take(
    _ block: RawSpan, _ offset: inout Int, _ field: inout CodedField, prefix: Int, isStatic: Bool
  ) -> Bool {
    guard let index = CodedStrings.integer(block, &offset, prefix: prefix) else { return false }
    guard isStatic else {
      if let section { take(entry: section.base - 1 - index, section.inserts, &field) }
      return true
    }
    guard index < QPACKStaticTable.places.count else {
      field.isMalformed = true
      return true
    }
    field.name = QPACKStaticTable.places[index].name
    field.value = QPACKStaticTable.places[index].value
    return true
  }

  /// Takes the field at an index from the base on.
  private mutating func takeBehindBase(
    _ block: RawSpan, _ offset: inout Int, _ field: inout CodedField, prefix: Int
  ) -> Bool {
    guard let index = CodedStrings.integer(block, &offset, prefix: prefix) else { return false }
    if let section { take(entry: section.base + index, section.inserts, &field) }
    return true
  }

  private mutating func take(entry number: Int, _ inserts: Int, _ field: inout CodedField) {
    guard number >= 0, number < inserts else {
      field.isMalformed = true
      return
    }
    guard let entry = table.entry(number) else { return }
    field.name = entry.name
    field.value = entry.value
    field.valueMark = entry.value.isKnown ? entry.valueMark : 0
  }

  /// Lends the octets of the last representation's name and value. In the place of the caller, two closures would be calls for each field.
  @inline(__always)
  func withField(_ field: CodedField, in block: RawSpan, _ body: (RawSpan, RawSpan) -> Void) {
    withOctets(of: field.name, in: block) { name in
      withOctets(of: field.value, in: block) { value in body(name, value) }
    }
  }

  /// Lends the octets of a text of the last representation.
  @inline(__always)
  package func withOctets<Result>(of text: CodedText, in block: RawSpan, _ body: (RawSpan) -> Result) -> Result {
    switch text.origin {
    case .unknown: body(block.extracting(0..<0))
    case .staticTable: QPACKStaticTable.octets.withOctets { body($0.extracting(text.range)) }
    case .dynamicTable: table.octets.withOctets { body($0.extracting(text.range)) }
    case .block: body(block.extracting(text.range))
    case .decoded: strings.decoded.withOctets { body($0.extracting(text.range)) }
    }
  }
}
