/// A handle to a short octet string in a `TextPool`.
public struct TextID: Hashable, Sendable {
  /// Position in the pool.
  @usableFromInline let index: Int32

  @usableFromInline init(index: Int32) { self.index = index }

  /// The empty text: unknown, or not applicable.
  @inlinable public static var none: TextID { TextID(index: 0) }
}

/// Octet strings from the wire, each held once. Handles are small values, equal if their strings are equal.
///
/// A text lives as long as something retains it: `intern` retains, `release` gives up. Input from the wire may not be UTF-8 and is hostile,
/// so texts stay octets until a report escapes them.
public struct TextPool: Sendable {
  @usableFromInline
  struct PooledText: Sendable {
    @usableFromInline var octets: [UInt8]
    var hash: UInt32
    var references: Int
    /// A number that no other text of the pool had before, in the order of insertion.
    @usableFromInline var serial: Int
  }

  @usableFromInline var entries: [PooledText] = [PooledText(octets: [], hash: 0, references: 1, serial: 0)]
  private var free: [Int32] = []
  private var index = HashIndex(buckets: 256)
  /// Texts that were asked for lately, by a few of their octets. Most texts come again and again, and a lookup here costs less than an
  /// unpredictable hash. A found text is compared octet by octet.
  private var recent: [Int32] = Array(repeating: 0, count: 256)
  private var lastSerial = 0
  /// Octets of memory that the texts take, with their entries.
  package private(set) var memory = 0
  private static var entryCost: Int { 64 }

  /// The number of texts.
  public var count: Int { index.count }

  package init() {}

  /// The octets of a text.
  public func octets(_ id: TextID) -> [UInt8] { entries[Int(id.index)].octets }

  /// Lends the octets of a text.
  @inlinable
  @inline(__always)
  package func withOctets<Result>(_ id: TextID, _ body: (RawSpan) -> Result) -> Result {
    entries[Int(id.index)].octets.withOctets(body)
  }

  /// A number that no other text of this pool had or will have, unlike the handle.
  @inlinable
  @inline(__always)
  package func serial(_ id: TextID) -> Int { entries[Int(id.index)].serial }

  /// The last octet of a text; nil if the text is empty.
  @inline(__always)
  func last(_ id: TextID) -> UInt8? { entries[Int(id.index)].octets.last }

  /// The length of a text in octets.
  func length(_ id: TextID) -> Int { entries[Int(id.index)].octets.count }

  /// A text as a string; octets that are not UTF-8 become U+FFFD.
  public func string(_ id: TextID) -> String { String(decoding: octets(id), as: UTF8.self) }

  /// Returns the handle of `octets` with one more reference.
  package mutating func intern(_ octets: borrowing RawSpan) -> TextID {
    guard octets.byteCount > 0 else { return .none }
    let mark = Self.mark(octets)
    let known = Int(recent[mark])
    // A freed text's slot holds no octets, or another text's.
    if known != 0, octets.hasSameOctets(as: entries[known].octets) {
      entries[known].references += 1
      return TextID(index: Int32(known))
    }
    let id = find(octets)
    recent[mark] = id.index
    return id
  }

  private mutating func find(_ octets: borrowing RawSpan) -> TextID {
    let hash = Self.hash(octets)
    if let known = index.place(hash, where: { octets.hasSameOctets(as: entries[$0].octets) }) {
      entries[known].references += 1
      return TextID(index: Int32(known))
    }
    var copy: [UInt8] = []
    octets.append(0..<octets.byteCount, to: &copy)
    lastSerial += 1
    let entry = PooledText(octets: copy, hash: hash, references: 1, serial: lastSerial)
    let place: Int32
    if let reused = free.popLast() {
      entries[Int(reused)] = entry
      place = reused
    } else {
      place = Int32(entries.count)
      if entries.count == entries.capacity { growEntries() }
      entries.append(entry)
    }
    index.insert(Int(place), hash)
    memory += octets.byteCount + Self.entryCost
    return TextID(index: place)
  }

  /// Returns the handle of `octets` with one more reference.
  package mutating func intern(_ octets: [UInt8]) -> TextID {
    octets.withOctets { intern($0) }
  }

  /// Returns the handle of a text from another pool, with one more reference.
  package mutating func intern(_ id: TextID, of source: borrowing TextPool) -> TextID {
    id == .none ? .none : source.entries[Int(id.index)].octets.withOctets { intern($0) }
  }

  /// Takes one more reference.
  package mutating func retain(_ id: TextID) {
    guard id != .none else { return }
    entries[Int(id.index)].references += 1
  }

  /// Takes one more reference of each text.
  @inline(__always)
  package mutating func retain<let count: Int>(_ ids: InlineArray<count, TextID>) {
    var entries = entries.mutableSpan
    for index in ids.indices where ids[index] != .none { entries[Int(ids[index].index)].references += 1 }
  }

  /// Gives up one reference. The last one frees the text.
  @inline(__always)
  package mutating func release(_ id: TextID) { release([id]) }

  /// Gives up one reference of each text, at most 32.
  @inline(__always)
  package mutating func release<let count: Int>(_ ids: InlineArray<count, TextID>) {
    /// One bit for each reference that was its text's last.
    var last: UInt32 = 0
    do {
      // Checks only once whether the memory is unshared.
      var entries = entries.mutableSpan
      for index in ids.indices where ids[index] != .none {
        let slot = Int(ids[index].index)
        entries[slot].references -= 1
        if entries[slot].references == 0 { last |= 1 << UInt32(index) }
      }
    }
    while last != 0 {
      free(ids[last.trailingZeroBitCount])
      last &= last - 1
    }
  }

  @inline(never)
  private mutating func free(_ id: TextID) {
    let place = Int(id.index)
    index.remove(place, entries[place].hash)
    memory -= entries[place].octets.count + Self.entryCost
    entries[place].octets = []
    free.append(id.index)
  }

  /// Makes room for more texts. The room is never given back, because a text is known by its place.
  private mutating func growEntries() {
    let before = entries.capacity
    entries.reserveCapacity(2 * before)
    memory += (entries.capacity - before) * MemoryLayout<PooledText>.stride
  }

  /// The index of octets in `recent`.
  private static func mark(_ octets: borrowing RawSpan) -> Int {
    let count = octets.byteCount
    var mixed = UInt64(count) &* 0x9e37_79b9_7f4a_7c15
    if count >= 8 {
      mixed ^= octets.littleEndian64(0) &* 0xff51_afd7_ed55_8ccd
      mixed = (mixed ^ mixed >> 29) &+ octets.littleEndian64(count - 8) &* 0xc4ce_b9fe_1a85_ec53
    } else {
      // Uses every octet of up to three, and some of up to seven.
      let (first, middle, last) = (octets.octet(0), octets.octet(count / 2), octets.octet(count - 1))
      mixed = (mixed ^ UInt64(first) << 16 ^ UInt64(middle) << 8 ^ UInt64(last)) &* 0xff51_afd7_ed55_8ccd
    }
    return Int(mixed >> 56)
  }

  /// A hash that an attacker cannot prepare collisions for: the standard library's hasher has a random seed in each process.
  private static func hash(_ octets: borrowing RawSpan) -> UInt32 {
    var hasher = Hasher()
    octets.hash(into: &hasher)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
