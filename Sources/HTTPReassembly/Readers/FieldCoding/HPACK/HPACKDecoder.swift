/// Reads the field blocks of one direction of a connection (RFC 7541), one representation at a time.
///
/// It loses no octets: their lengths always add up to the length of the block. Unknown parts are marked as unknown, and
/// errors are reported. If the rest of a block cannot be split, it reports that.
package struct HPACKDecoder {
  private var table: HPACKDynamicTable
  /// The strings of the current representation.
  private var strings = CodedStrings()
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
  package init(isComplete: Bool, keptLimit: Int) {
    table = HPACKDynamicTable(isComplete: isComplete, keptLimit: keptLimit)
    isSizeLimitKnown = isComplete
  }

  /// Octets of memory on the heap.
  package var memory: Int { table.memory + strings.memory }

  /// The number of known entries of the dynamic table.
  var entryCount: Int { table.count }

  /// Limits the table to `size` octets, which the sender has acknowledged.
  mutating func allow(size: Int) {
    sizeLimit = size
    isSizeLimitKnown = true
  }

  /// Allows the table to have `size` octets. The sender may know this already.
  mutating func announce(size: Int) { sizeLimit = max(sizeLimit, size) }

  /// Forgets the table, because lost octets may have inserted fields.
  package mutating func forget() {
    table.forget()
    isSizeLimitKnown = false
  }

  /// Notes that octets of field blocks were lost. Each insertion takes some of them, and may begin or end in others.
  ///
  /// `isCut` says that they are the rest of the last block.
  mutating func lose(octets: Int, isCut: Bool = false) {
    isSizeLimitKnown = false
    table.lose(octets: octets, isCut: isCut)
  }

  /// Begins a field block. If its end `isCut`, the lost octets are told with `lose`.
  package mutating func startBlock(isCut: Bool = false) {
    hasField = false
    previous = FieldNameCode.start
    self.isCut = isCut
    table.startBlock()
  }

  /// Reads the representation at `offset` of `block`, and moves `offset` behind it. If it is undecodable, the table is unknown from there on,
  /// unless the block is cut.
  package mutating func next(_ block: RawSpan, at offset: inout Int) -> CodedStep {
    table.compact()
    strings.begin()
    let start = offset
    guard start < block.byteCount else {
      table.endBlock(octets: block.byteCount)
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

  /// Lends the octets of a text of the last representation.
  @inline(__always)
  package func withOctets<Result>(of text: CodedText, in block: RawSpan, _ body: (RawSpan) -> Result) -> Result {
    switch text.origin {
    case .unknown: body(block.extracting(0..<0))
    case .staticTable: HPACKStaticTable.octets.withOctets { body($0.extracting(text.range)) }
    case .dynamicTable: table.octets.withOctets { body($0.extracting(text.range)) }
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
    guard index < largest, let entry = table.entry(Int(index) - HPACKStaticTable.count - 1) else { return nil }
    return name(entry) == .status
  }

  // MARK: Unseen insertions

  /// Whether it is uncertain which entries older indices refer to.
  var hasGap: Bool { table.hasGap }

  /// Rules out numbers of unseen insertions with which no peer sends this block as a section of one of these kinds (RFC 9113 §8.3).
  ///
  /// `lostBlocks` is the number of blocks that were lost since the block before, as far as it is known.
  mutating func narrow(_ block: RawSpan, _ kinds: [FieldOrder.Kind], lostBlocks: Int?) {
    if let lostBlocks { table.expect(blocks: lostBlocks) }
    searchAllowance.earn(block.byteCount * Self.searchPerOctet, most: Self.mostSearch)
    guard let gap = table.gap, let fields = names(block, gap.newer) else { return }
    guard searchAllowance.take(gap.candidates.count * fields.names.count * kinds.count) else { return }
    let possible = gap.candidates.filter { candidate in
      kinds.contains { kind in
        var order = FieldOrder(kind)
        for field in fields.names where order.isPossible {
          guard let index = field.place.older else {
            order.take(field.name)
            continue
          }
          let (entry, isPossible) = table.older(index, candidate.number)
          guard isPossible else { return false }
          // Not `entry.map(name)`, which copies the decoder.
          if let entry { order.take(name(entry)) } else { order.take(.unknown) }
        }
        return order.isPossible(asWhole: fields.mayBeConnect)
      }
    }
    table.keep(possible, fields.references, fields.names.map { $0.place })
  }

  // A sender may lose packets as it likes, so that the size of a gap stays unknown. A dialogue of programs needs some ten names for an octet.

  /// The names that may be looked at in the first blocks of a direction.
  private static var firstSearch: Int { 1 << 18 }
  /// The names that may be looked at for each octet of a block.
  private static var searchPerOctet: Int { 64 }
  /// The most names that may be looked at together.
  private static var mostSearch: Int { 1 << 20 }

  private func name(_ entry: HPACKDynamicTable.Insertion) -> FieldNameKind {
    guard entry.isNameKnown else { return .unknown }
    let start = Int(entry.start)
    return table.octets.withOctets { FieldNameKind($0.extracting(start..<start + Int(entry.nameLength))) }
  }

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
        let (start, length) = (Int(place.start), Int(place.nameLength))
        name.name = HPACKStaticTable.octets.withOctets { FieldNameKind($0.extracting(start..<start + length)) }
        name.place.code = place.nameCode
        if isIndexed, name.name == .method { mayBeConnect = false }
      } else {
        let dynamic = index - HPACKStaticTable.count - 1
        if dynamic < inserted.count {
          name = inserted[inserted.count - 1 - dynamic]
        } else if dynamic < inserted.count + newer {
          if let entry = table.entry(dynamic - inserted.count) {
            (name.name, name.place.code) = (self.name(entry), entry.nameCode)
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
    if index > HPACKStaticTable.count { table.use(index - HPACKStaticTable.count - 1, behind: previous) }
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
      if name.isKnown { field.nameCode = withOctets(of: name, in: block) { FieldNameCode.of($0) } }
    }
    guard let value = strings.string(block, &offset, &field) else { return nil }
    field.value = value
    if isInserted { insert(field, block) }
    return field
  }

  private mutating func sizeUpdate(_ block: RawSpan, _ offset: inout Int) -> CodedField? {
    guard let size = CodedStrings.integer(block, &offset, prefix: 5) else { return nil }
    var field = CodedField(length: 0)
    field.isInstruction = true
    // The other side's SETTINGS may have been lost.
    field.isMalformed = hasField || isSizeLimitKnown && size > sizeLimit
    table.resize(to: size)
    return field
  }

  /// Takes the field at an index. Returns false when there can be no such field.
  private func find(_ index: Int, _ field: inout CodedField) -> Bool {
    if index <= HPACKStaticTable.count {
      let place = HPACKStaticTable.places[index]
      field.name = CodedText(.staticTable, start: Int(place.start), length: Int(place.nameLength))
      field.value = CodedText(
        .staticTable, start: Int(place.start + place.nameLength), length: Int(place.valueLength))
      field.nameCode = place.nameCode
      return true
    }
    guard let entry = table.entry(index - HPACKStaticTable.count - 1) else { return !table.isComplete }
    let nameLength = Int(entry.nameLength)
    field.nameCode = entry.nameCode
    if entry.isNameKnown { field.name = CodedText(.dynamicTable, start: Int(entry.start), length: nameLength) }
    if entry.isValueKnown {
      let start = Int(entry.start) + (entry.isNameKnown ? nameLength : 0)
      field.value = CodedText(.dynamicTable, start: start, length: Int(entry.valueLength))
      field.valueMark = entry.valueMark
    }
    return true
  }

  private mutating func insert(_ field: CodedField, _ block: RawSpan) {
    let (name, value, decoded) = (field.name, field.value, strings.decoded)
    let isNameKept = name.origin != .dynamicTable || name.range.count <= HPACKDynamicTable.repeatedNameLimit
    table.insert(
      nameLength: name.length ?? 0, valueLength: value.length ?? 0, isNameKnown: name.isKnown && isNameKept,
      isValueKnown: value.isKnown, isSizeKnown: name.length != nil && value.length != nil, nameCode: field.nameCode,
      behind: previous
    ) { octets in
      if isNameKept { Self.append(name, block, decoded, to: &octets) }
      Self.append(value, block, decoded, to: &octets)
    }
  }

  private static func append(_ text: CodedText, _ block: RawSpan, _ decoded: [UInt8], to octets: inout [UInt8]) {
    switch text.origin {
    case .unknown: break
    case .staticTable: octets.append(contentsOf: HPACKStaticTable.octets[text.range])
    case .dynamicTable: for index in text.range { octets.append(octets[index]) }
    case .block: block.append(text.range, to: &octets)
    case .decoded: octets.append(contentsOf: decoded[text.range])
    }
  }
}
