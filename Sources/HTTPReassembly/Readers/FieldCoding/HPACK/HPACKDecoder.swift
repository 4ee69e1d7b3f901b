import Packets

/// Reads the field blocks of one direction of a connection (RFC 7541), one representation at a time.
///
/// It loses no octets: their lengths always add up to the length of the block. Unknown parts are marked as unknown, and
/// errors are reported. If the rest of a block cannot be split, it reports that.
package struct HPACKDecoder {
  /// In memory of its own: it is large, and a method that only reads would get a copy of it.
  private let table: OwnMemory<HPACKDynamicTable>
  /// The strings of the current representation.
  private var strings: CodedStrings
  /// The largest table size that the other side has allowed and this side has acknowledged, in octets.
  private var sizeLimit = HPACKDynamicTable.defaultSize
  /// Whether the allowed size is known.
  private var isSizeLimitKnown: Bool
  /// Whether a field of this block has been read. Size updates come before all fields (RFC 7541 §4.2).
  private var hasField = false
  /// Whether the end of this block cannot be read.
  private var isCut = false
  /// The code of the name of the field before; `FieldNameCode.start` before the first.
  private var previous = FieldNameCode.start
  /// The names that may still be looked at to find the size of a gap. Each octet of a block adds some.
  private var searchAllowance = Allowance(Self.firstSearch)

  /// - Parameters:
  ///   - isComplete: Whether the direction is read from its start.
  ///   - keptLimit: The maximum number of kept octets of the dynamic table.
  ///   - familiar: Strings that came before.
  package init(
    isComplete: Bool, keptLimit: Int, familiar: OwnMemory<FamiliarStrings> = OwnMemory(FamiliarStrings())
  ) {
    strings = CodedStrings(familiar)
    table = OwnMemory(HPACKDynamicTable(isComplete: isComplete, keptLimit: keptLimit))
    isSizeLimitKnown = isComplete
  }

  /// Octets of memory on the heap.
  package var memory: Int {
    MemoryLayout<HPACKDynamicTable>.stride + 32 + table.look { $0.memory } + strings.memory
  }

  /// The number of known entries of the dynamic table.
  var entryCount: Int { table.value.count }

  /// Limits the table to `size` octets, which the sender has acknowledged.
  mutating func allow(size: Int) {
    sizeLimit = size
    isSizeLimitKnown = true
  }

  /// Allows the table to have `size` octets. The sender may know this already.
  mutating func announce(size: Int) { sizeLimit = max(sizeLimit, size) }

  /// Forgets the table, because lost octets may have inserted fields.
  package mutating func forget() {
    table.value.forget()
    isSizeLimitKnown = false
  }

  /// Notes that octets of field blocks were lost. Each insertion takes some of them, and may begin or end in others.
  ///
  /// `isCut` says that they are the rest of the last block.
  mutating func lose(octets: Int, isCut: Bool = false) {
    isSizeLimitKnown = false
    table.value.lose(octets: octets, isCut: isCut)
  }

  /// Begins a field block. If its end `isCut`, the lost octets are told with `lose`.
  package mutating func startBlock(isCut: Bool = false) {
    hasField = false
    previous = FieldNameCode.start
    self.isCut = isCut
    table.value.startBlock()
  }

  /// Reads the representation at `offset` of `block`, and moves `offset` behind it. If it is undecodable, the table is unknown from there on,
  /// unless the block is cut.
  package mutating func next(_ block: RawSpan, at offset: inout Int) -> CodedStep {
    table.value.compact()
    strings.begin()
    let start = offset
    guard start < block.byteCount else {
      table.value.endBlock(octets: block.byteCount)
      return .end
    }
    let first = block.octet(start)
    var field: CodedField?
    if first & 0x80 != 0 {
      field = indexed(block, &offset)
    } else if first & 0x40 != 0 {
      field = literal(block, &offset, prefix: 6, isInserted: true)
    } else if first & 0x20 != 0 {
      field = sizeUpdate(block, &offset)
    } else {
      field = literal(block, &offset, prefix: 4, isInserted: false)
    }
    guard var field else {
      offset = start
      if !isCut { forget() }
      return .undecodable
    }
    field.length = offset - start
    if !field.isInstruction {
      hasField = true
      previous = field.nameCode
    }
    return .field(field)
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
    case .staticTable: HPACKStaticTable.octets.withOctets { body($0.extracting(text.range)) }
    case .dynamicTable: table.look { $0.octets.withOctets { body($0.extracting(text.range)) } }
    case .block: body(block.extracting(text.range))
    case .decoded: strings.decoded.withOctets { body($0.extracting(text.range)) }
    }
  }

  /// Whether a block with this first octet starts with a status; nil if that is unknown.
  func startsWithStatus(_ octet: UInt8) -> Bool? {
    // The integers of a representation, which may go on behind the octet (RFC 7541 §6).
    guard octet & 0xe0 != 0x20 else { return nil }
    let largest: UInt8 = octet & 0x80 != 0 ? 0x7f : octet & 0x40 != 0 ? 0x3f : 0x0f
    let index = octet & largest
    if index <= HPACKStaticTable.count { return (8...14).contains(index) }
    guard index < largest, let entry = table.value.entry(Int(index) - HPACKStaticTable.count - 1) else { return nil }
    return entry.kind == .status
  }

  // MARK: Unseen insertions

  /// Whether it is uncertain which entries older indices refer to.
  var hasGap: Bool { table.value.hasGap }

  /// Rules out numbers of unseen insertions with which no peer sends this block as a section of one of these kinds (RFC 9113 §8.3).
  ///
  /// `lostBlocks` is the number of blocks that were lost since the block before, as far as it is known.
  mutating func narrow(_ block: RawSpan, _ kinds: [FieldOrder.Kind], lostBlocks: Int?) {
    if let lostBlocks { table.value.expect(blocks: lostBlocks) }
    searchAllowance.earn(block.byteCount * Self.searchPerOctet, most: Self.mostSearch)
    guard let gap = table.value.gap, let fields = names(block, gap.newer) else { return }
    guard searchAllowance.take(gap.candidates.count * fields.names.count * kinds.count) else { return }
    let possible = gap.candidates.filter { candidate in
      kinds.contains { kind in
        var order = FieldOrder(kind)
        for field in fields.names where order.isPossible {
          guard let index = field.place.older else {
            order.take(field.name)
            continue
          }
          let (entry, isPossible) = table.value.older(index, candidate.number)
          guard isPossible else { return false }
          order.take(entry?.kind ?? .unknown)
        }
        return order.isPossible(asWhole: fields.mayBeConnect)
      }
    }
    table.value.keep(possible, fields.references, fields.names.map { $0.place })
  }

  // A sender may lose packets as it likes, so that the size of a gap stays unknown. A dialogue of programs needs some ten names for an octet.

  /// The names that may be looked at in the first blocks of a direction.
  private static var firstSearch: Int { 1 << 18 }
  /// The names that may be looked at for each octet of a block.
  private static var searchPerOctet: Int { 64 }
  /// The most names that may be looked at together.
  private static var mostSearch: Int { 1 << 20 }

  /// The names of a block. `older` is the index of an entry from before the gap, counted from the gap's end. Nil if the block cannot be
  /// split, or changes the size of the table.
  private mutating func names(
    _ block: RawSpan, _ newer: Int
  ) -> (names: [SplitName], references: [HPACKGap.Reference], mayBeConnect: Bool)? {
    var names: [SplitName] = []
    var references: [HPACKGap.Reference] = []
    var inserted: [SplitName] = []
    var mayBeConnect = true
    var offset = 0
    while offset < block.byteCount {
      let first = block.octet(offset)
      let isIndexed = first & 0x80 != 0
      let isInserted = !isIndexed && first & 0x40 != 0
      if !isIndexed, !isInserted, first & 0x20 != 0 { return nil }
      guard let index = CodedStrings.integer(block, &offset, prefix: isIndexed ? 7 : isInserted ? 6 : 4) else {
        return nil
      }
      var name = SplitName()
      var ignored = CodedField(length: 0)
      strings.restart()
      if index == 0 {
        guard !isIndexed, let text = strings.string(block, &offset, &ignored) else { return nil }
        if text.isKnown {
          (name.name, name.place.code) = withOctets(of: text, in: block) { (FieldNameKind($0), FieldNameCode.of($0)) }
        }
      } else if index <= HPACKStaticTable.count {
        let place = HPACKStaticTable.places[index]
        name.name = place.kind
        name.place.code = place.nameCode
        if isIndexed, name.name == .method { mayBeConnect = false }
      } else {
        let dynamic = index - HPACKStaticTable.count - 1
        if dynamic < inserted.count {
          name = inserted[inserted.count - 1 - dynamic]
        } else if dynamic < inserted.count + newer {
          if let entry = table.value.entry(dynamic - inserted.count) {
            (name.name, name.place.code) = (entry.kind, entry.nameCode)
          }
        } else {
          name.place.older = dynamic - inserted.count - newer
        }
      }
      if isIndexed, let index = name.place.older {
        references.append(
          HPACKGap.Reference(index: index, previous: names.last?.place ?? HPACKGap.Name(code: FieldNameCode.start)))
      }
      if !isIndexed { guard strings.string(block, &offset, &ignored) != nil else { return nil } }
      if isInserted { inserted.append(name) }
      names.append(name)
    }
    return (names, references, mayBeConnect)
  }

  /// The name of a representation, as far as it is known. `older` is the index of its entry, if that is from before the gap's end.
  private struct SplitName {
    var name = FieldNameKind.unknown
    var place = HPACKGap.Name()
  }

  // MARK: Representations

  private mutating func indexed(_ block: RawSpan, _ offset: inout Int) -> CodedField? {
    guard let index = CodedStrings.integer(block, &offset, prefix: 7) else { return nil }
    var field = CodedField(length: 0)
    guard index > 0 else {
      field.isMalformed = true
      return field
    }
    field.isMalformed = !find(index, &field)
    if index > HPACKStaticTable.count { table.value.use(index - HPACKStaticTable.count - 1, behind: previous) }
    return field
  }

  private mutating func literal(
    _ block: RawSpan, _ offset: inout Int, prefix: Int, isInserted: Bool
  ) -> CodedField? {
    guard let index = CodedStrings.integer(block, &offset, prefix: prefix) else { return nil }
    var field = CodedField(length: 0)
    if index > 0 {
      field.isMalformed = !find(index, &field)
      field.value = .unknown
      field.valueMark = 0
    } else {
      guard let name = strings.string(block, &offset, &field) else { return nil }
      field.name = name
      if name.isKnown {
        (field.nameCode, field.name.kind) = withOctets(of: name, in: block) {
          (FieldNameCode.of($0), FieldNameKind($0))
        }
      }
    }
    guard let value = strings.string(block, &offset, &field) else { return nil }
    field.value = value
    field.valueMark = strings.mark
    if isInserted { insert(field, block) }
    return field
  }

  private mutating func sizeUpdate(_ block: RawSpan, _ offset: inout Int) -> CodedField? {
    guard let size = CodedStrings.integer(block, &offset, prefix: 5) else { return nil }
    var field = CodedField(length: 0)
    field.isInstruction = true
    // The other side's SETTINGS may have been lost.
    field.isMalformed = hasField || isSizeLimitKnown && size > sizeLimit
    table.value.resize(to: size)
    return field
  }

  /// Takes the field at an index. Returns false when there can be no such field.
  private func find(_ index: Int, _ field: inout CodedField) -> Bool {
    if index <= HPACKStaticTable.count {
      let place = HPACKStaticTable.places[index]
      field.name = CodedText(
        .staticTable, start: Int(place.start), length: Int(place.nameLength), kind: place.kind)
      field.value = CodedText(
        .staticTable, start: Int(place.start + place.nameLength), length: Int(place.valueLength))
      field.nameCode = place.nameCode
      return true
    }
    return table.value.find(index - HPACKStaticTable.count - 1, &field)
  }

  private func insert(_ field: CodedField, _ block: RawSpan) {
    let (name, value) = (field.name, field.value)
    let isNameKept = name.origin != .dynamicTable || name.range.count <= HPACKDynamicTable.repeatedNameLimit
    strings.decoded.withOctets { decoded in
      table.value.insert(
        nameLength: name.length ?? 0, valueLength: value.length ?? 0, isNameKnown: name.isKnown && isNameKept,
        isValueKnown: value.isKnown, isSizeKnown: name.length != nil && value.length != nil, nameCode: field.nameCode,
        kind: name.kind, valueMark: field.valueMark, behind: previous
      ) { octets in
        if isNameKept { Self.append(name, block, decoded, to: &octets) }
        Self.append(value, block, decoded, to: &octets)
      }
    }
  }

  private static func append(_ text: CodedText, _ block: RawSpan, _ decoded: RawSpan, to octets: inout [UInt8]) {
    switch text.origin {
    case .unknown: break
    case .staticTable: HPACKStaticTable.octets.withOctets { $0.append(text.range, to: &octets) }
    case .dynamicTable: for index in text.range { octets.append(octets[index]) }
    case .block: block.append(text.range, to: &octets)
    case .decoded: decoded.append(text.range, to: &octets)
    }
  }
}
