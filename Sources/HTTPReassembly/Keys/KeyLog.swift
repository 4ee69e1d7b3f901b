import Cryptography

/// The secrets of TLS connections that are known, by what a key log names them with.
///
/// They lie in memory that no core dump has. A million lines of as many names take some 95 MiB; of TLS 1.3 less than half of that: a name
/// with several secrets is there once.
struct KeyLog {
  /// Names, each with its secrets as a chain: the name, the offset of its first secret; then of each secret the offset of the next
  /// one, its label, its length, and its octets. Offset 0 is none: the arena starts with four octets that mean nothing.
  private let arena = SecretArena()
  /// Offsets of names, by their hashes: open addressing with linear probing, 0 marks an empty bucket. The offset has the low bits; the
  /// others are those of the hash, so that nearly no other name is looked at: each would be read from memory that no cache has.
  private var buckets: [UInt32] = []
  private let hash = SecretNameHash()
  private var names = 0
  /// The name that was read last: a log has all secrets of a connection together.
  private var latest = 0
  /// Where the newest names are, oldest first after `newestStart`.
  private var newest: [UInt32] = []
  private var newestStart = 0
  /// How often names were tried for a hello that names none, which a hostile capture is full of.
  private var trials = 0
  private let limit: Int
  /// Lines that gave a secret that was not known.
  private(set) var count = 0
  /// Lines that had no room.
  private var refused = 0
  /// The start of a line whose end has not been read.
  private var partial: [UInt8] = []
  /// Whether the rest of the line is passed over, because it is too long.
  private var isPassing = false

  /// Bits of a bucket that are an offset: 128 MiB.
  private static let offsetBits: UInt32 = 27
  /// Octets of a line that are understood: the longest that any label has are some 250.
  static let lineLimit = 1024
  /// The longest secret: of SHA-512, which no suite uses, and the longest that logs have.
  private static let longestSecret = 64
  /// Secrets of one name, which has five as a rule.
  private static let secretsLimit = 16
  /// The newest names that are tried for a connection whose hello names none: connections that a program opens at about the same time.
  static let newestLimit = 256
  /// Names that are tried so in a whole run: each costs some microseconds.
  static let trialLimit = 1 << 18

  /// An empty log that takes at most so many octets of memory for what it keeps.
  init(limit: Int) { self.limit = limit }

  /// Whether there is no secret.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Octets of memory that it takes.
  var memory: Int { names == 0 ? 0 : arena.memory + buckets.capacity * MemoryLayout<UInt32>.stride }

  /// How many lines had no room since this was asked last; of very many only some are counted.
  mutating func takeRefused() -> Int {
    defer { refused = 0 }
    return min(refused, 1 << 20)
  }

  // MARK: Secrets

  /// Lends a secret; nil when it is not known.
  func withSecret<Result>(_ label: SecretLabel, of name: SecretName, _ body: (RawSpan) -> Result) -> Result? {
    guard names > 0 else { return nil }
    let offset = name.withOctets { find($0, hash.number($0)).offset }
    guard offset > 0, let secret = secret(label, ofNameAt: offset) else { return nil }
    return arena.withOctets(at: secret.offset, count: secret.count, body)
  }

  /// Whether a secret is known.
  func has(_ label: SecretLabel, of name: SecretName) -> Bool { withSecret(label, of: name) { _ in true } ?? false }

  /// Learns a secret, unless one is known already under the same label and name: the first is the one that counts.
  mutating func learn(_ label: SecretLabel, of name: SecretName, _ secret: RawSpan) {
    guard 1...Self.longestSecret ~= secret.byteCount else { return }
    guard let offset = offset(of: name) else {
      refused += 1
      return
    }
    var chain = 0
    var next = Int(arena.number(at: offset + SecretName.length))
    while next > 0 {
      if arena.withOctets(at: next + 4, count: 1, { $0.octet(0) }) == label.rawValue { return }
      chain += 1
      next = Int(arena.number(at: next))
    }
    guard chain < Self.secretsLimit, arena.memory <= limit else {
      refused += 1
      return
    }
    // Written at once, so that it lies in one block.
    var entry: InlineArray<70, UInt8> = .init(repeating: 0)
    let first = arena.number(at: offset + SecretName.length)
    for index in 0..<4 { entry[index] = UInt8(truncatingIfNeeded: first.littleEndian >> UInt32(8 * index)) }
    entry[4] = label.rawValue
    entry[5] = UInt8(secret.byteCount)
    for index in 0..<secret.byteCount { entry[6 + index] = secret.octet(index) }
    let length = 6 + secret.byteCount
    if let place = entry.withOctets({ arena.append($0.extracting(0..<length)) }) {
      arena.setNumber(UInt32(place), at: offset + SecretName.length)
      count += 1
    } else {
      refused += 1
    }
    for index in 0..<length { entry[index] = 0 }
  }

  /// The newest names that have a secret under a label, newest first, for a connection whose hello does not tell its name: each is tried
  /// until `body` says that it fits. Returns the one that fits.
  mutating func firstFitting(_ label: SecretLabel, _ body: (RawSpan) -> Bool) -> SecretName? {
    for index in newest.indices.reversed() {
      let offset = Int(newest[(newestStart + index) % newest.count])
      guard let secret = secret(label, ofNameAt: offset) else { continue }
      guard trials < Self.trialLimit else { return nil }
      trials += 1
      guard arena.withOctets(at: secret.offset, count: secret.count, body) else { continue }
      return arena.withOctets(at: offset, count: SecretName.length) {
        SecretName(.random, $0.extracting(1..<SecretName.length))
      }
    }
    return nil
  }

  private mutating func remember(_ offset: Int) {
    if newest.count < Self.newestLimit { return newest.append(UInt32(offset)) }
    newest[newestStart] = UInt32(offset)
    newestStart = (newestStart + 1) % newest.count
  }

  private func secret(_ label: SecretLabel, ofNameAt offset: Int) -> (offset: Int, count: Int)? {
    var next = Int(arena.number(at: offset + SecretName.length))
    while next > 0 {
      let (found, length) = arena.withOctets(at: next, count: 6) { ($0.octet(4), Int($0.octet(5))) }
      if found == label.rawValue { return (next + 6, length) }
      next = Int(arena.number(at: next))
    }
    return nil
  }

  // MARK: Names

  /// Where a name is, which is kept from now on; nil when there is no room.
  private mutating func offset(of name: SecretName) -> Int? {
    if latest > 0, isName(name, at: latest) { return latest }
    if names * 3 >= buckets.count * 2 { grow() }
    let number = name.withOctets { hash.number($0) }
    let found = name.withOctets { find($0, number) }
    if found.offset > 0 {
      latest = found.offset
      return found.offset
    }
    guard arena.memory <= limit else { return nil }
    if names == 0 {
      let filler: InlineArray<4, UInt8> = .init(repeating: 0)
      _ = filler.withOctets { arena.append($0) }
    }
    var entry: InlineArray<37, UInt8> = .init(repeating: 0)
    for index in 0..<SecretName.length { entry[index] = name.octets[index] }
    guard let offset = entry.withOctets({ arena.append($0) }), offset < 1 << Self.offsetBits else { return nil }
    buckets[found.bucket] = Self.bucket(offset, number)
    names += 1
    latest = offset
    remember(offset)
    return offset
  }

  private func isName(_ name: SecretName, at offset: Int) -> Bool {
    arena.withOctets(at: offset, count: SecretName.length) { known in name.withOctets { $0.hasSameOctets(as: known) } }
  }

  private func find(_ name: RawSpan, _ number: UInt32) -> (bucket: Int, offset: Int) {
    let mask = buckets.count - 1
    var bucket = Int(number) & mask
    while buckets[bucket] != 0 {
      let known = buckets[bucket]
      let offset = Int(known & Self.offsetMask)
      if (known ^ number) & ~Self.offsetMask == 0,
        arena.withOctets(at: offset, count: SecretName.length, { $0.hasSameOctets(as: name) })
      {
        return (bucket, offset)
      }
      bucket = (bucket + 1) & mask
    }
    return (bucket, 0)
  }

  private static var offsetMask: UInt32 { 1 << offsetBits - 1 }

  private static func bucket(_ offset: Int, _ number: UInt32) -> UInt32 {
    UInt32(offset) | number & ~offsetMask
  }

  private mutating func grow() {
    let old = buckets
    buckets = Array(repeating: 0, count: max(old.count * 2, 64))
    let mask = buckets.count - 1
    for known in old where known != 0 {
      let number = arena.withOctets(at: Int(known & Self.offsetMask), count: SecretName.length) { hash.number($0) }
      var bucket = Int(number) & mask
      while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
      buckets[bucket] = known
    }
  }

  // MARK: Lines

  /// Reads more octets of a log, which come in any pieces.
  mutating func read(_ octets: RawSpan) {
    var start = 0
    while start < octets.byteCount {
      guard let end = octets.lineEnd(from: start) else {
        keep(octets, start..<octets.byteCount)
        return
      }
      if partial.isEmpty, !isPassing {
        if end - start <= Self.lineLimit { readLine(octets.extracting(start..<end)) }
      } else {
        keep(octets, start..<end)
        finishLine()
      }
      start = end + 1
    }
  }

  /// A log ends: its last line may have no end.
  mutating func finishLine() {
    let line = partial
    partial = []
    if !isPassing { line.withOctets { readLine($0) } }
    isPassing = false
  }

  private mutating func keep(_ octets: RawSpan, _ range: Range<Int>) {
    guard !isPassing else { return }
    isPassing = partial.count + range.count > Self.lineLimit
    if isPassing { partial = [] } else { octets.append(range, to: &partial) }
  }

  private mutating func readLine(_ line: RawSpan) {
    guard let read = KeyLogLine(line) else { return }
    read.secret.withOctets { learn(read.label, of: read.name, $0.extracting(0..<read.secretLength)) }
  }
}

extension RawSpan {
  /// The offset of the next line feed.
  fileprivate func lineEnd(from start: Int) -> Int? {
    var offset = start
    while offset + 8 <= byteCount {
      let difference = littleEndian64(offset) ^ 0x0a0a_0a0a_0a0a_0a0a
      let found = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if found != 0 { return offset + found.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < byteCount {
      if octet(offset) == 0x0a { return offset }
      offset += 1
    }
    return nil
  }
}
