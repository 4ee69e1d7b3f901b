/// Words that are mostly zero or small, and their form in few octets: a bit of each word says whether it is zero, and the others
/// have an octet for each seven of their bits. How many these are is said by the lowest bit that is set.
///
/// Unsafe because a connection's state is two hundred words, each time it rests and each time it is whole again: an array asks
/// with each whether its memory is its own, and this always is. `append` and `unpack` make room before they write, and only the
/// `count` words that were written are read; `packed` has room for the most that as many words take. What was packed is read
/// with the checks of a span.
@safe
struct StateWords: ~Copyable {
  private var words: UnsafeMutablePointer<UInt64>
  /// Room for the maps of as many words as there is room for.
  private var maps: UnsafeMutablePointer<UInt64>
  private var capacity = 256
  private var count = 0
  /// How many were taken out.
  private var next = 0

  init() {
    unsafe words = .allocate(capacity: capacity)
    unsafe maps = .allocate(capacity: capacity / Self.groupLength)
  }

  deinit {
    unsafe words.deallocate()
    unsafe maps.deallocate()
  }

  /// Takes all words away and keeps the memory.
  mutating func removeAll() {
    count = 0
    next = 0
  }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    if count == capacity { grow() }
    unsafe words[count] = word
    count &+= 1
  }

  /// Takes the oldest word out, or zero when there is none.
  @inline(__always)
  mutating func removeFirst() -> UInt64 {
    guard next < count else { return 0 }
    next &+= 1
    return unsafe words[next &- 1]
  }

  @inline(never)
  private mutating func grow() {
    let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    unsafe moved.update(from: words, count: count)
    unsafe words.deallocate()
    unsafe words = moved
    capacity *= 2
    unsafe maps.deallocate()
    unsafe maps = .allocate(capacity: capacity / Self.groupLength)
  }

  // MARK: In few octets

  /// Octets that a word takes at most: one without a bit of it that says so, and all of its own.
  private static var longest: Int { 9 }
  /// Words of which one map says which are zero.
  private static var groupLength: Int { 64 }

  /// All words in few octets, but for zeros at the end.
  func packed() -> [UInt8] {
    let groups = (count + Self.groupLength - 1) / Self.groupLength
    // What the last store writes beyond its word is where the first map comes.
    let room = count * Self.longest + groups * 8 + 8
    return unsafe withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { buffer in
      guard let start = buffer.baseAddress else { return [] }
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: pack(start)))
    }
  }

  /// Packs the words, and then the maps, the first one last, so that eight octets can be loaded wherever a word starts.
  private func pack(_ packed: UnsafeMutableRawPointer) -> Int {
    var offset = 0
    var index = 0
    var groups = 0
    // Of the maps of zeros at the end none is needed.
    var used = 0
    while index < count {
      let end = min(index &+ Self.groupLength, count)
      var map: UInt64 = 0
      while index < end {
        let word = unsafe words[index]
        if word != 0 {
          map |= 1 &<< UInt64(truncatingIfNeeded: index)
          unsafe Self.store(word, packed, &offset)
        }
        index &+= 1
      }
      unsafe maps[groups] = map
      groups += 1
      if map != 0 { used = groups }
    }
    while used > 0 {
      used -= 1
      unsafe packed.storeBytes(of: maps[used].littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    return offset
  }

  @inline(__always)
  private static func store(_ word: UInt64, _ packed: UnsafeMutableRawPointer, _ offset: inout Int) {
    let length = (70 &- word.leadingZeroBitCount) / 7
    if length < longest {
      let tagged = (word &<< 1 | 1) &<< UInt64(truncatingIfNeeded: length &- 1)
      unsafe packed.storeBytes(of: tagged.littleEndian, toByteOffset: offset, as: UInt64.self)
      offset &+= length
    } else {
      unsafe packed.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
      unsafe packed.storeBytes(of: word.littleEndian, toByteOffset: offset &+ 1, as: UInt64.self)
      offset &+= longest
    }
  }

  /// Takes the words from what `packed()` has made of them; after them zeros come.
  mutating func unpack(_ packed: [UInt8]) {
    removeAll()
    packed.withOctets { packed in
      var offset = 0
      var end = packed.byteCount
      while offset < end {
        end -= 8
        var map = packed.littleEndian64(end)
        while capacity - count < Self.groupLength { grow() }
        unsafe (words + count).update(repeating: 0, count: Self.groupLength)
        while map != 0 {
          unsafe words[count &+ map.trailingZeroBitCount] = Self.load(packed, &offset)
          map &= map &- 1
        }
        count += Self.groupLength
      }
    }
  }

  @inline(__always)
  private static func load(_ packed: RawSpan, _ offset: inout Int) -> UInt64 {
    let octets = packed.littleEndian64(offset)
    let length = octets.trailingZeroBitCount &+ 1
    if length < longest {
      offset &+= length
      let tagged = octets &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length)
      return tagged &>> UInt64(truncatingIfNeeded: 64 &- 7 &* length)
    }
    offset &+= longest
    return packed.littleEndian64(offset - 8)
  }
}
