import Cryptography

/// The secrets of TLS connections that are known, by what a key log names them with.
///
/// They lie in memory that no core dump has. A million lines take some 90 MiB: a name with several secrets is there once.
struct KeyLog {
  /// Names, each with its secrets as a chain: the name, the offset of its first secret; then of each secret the offset of the next
  /// one, its label, its length, and its octets. Offset 0 is none: the arena starts with four octets that mean nothing.
  private let arena = SecretArena()
  /// Offsets of names, by their hashes: open addressing with linear probing, 0 marks an empty bucket.
  private var buckets: [UInt32] = []
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
    let offset = name.withOctets { find($0, name.hash).offset }
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
    if names * 4 >= buckets.count * 3 { grow() }
    let found = name.withOctets { find($0, name.hash) }
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
    guard let offset = entry.withOctets({ arena.append($0) }), offset <= Int(UInt32.max) else { return nil }
    buckets[found.bucket] = UInt32(offset)
    names += 1
    latest = offset
    remember(offset)
    return offset
  }

  private func isName(_ name: SecretName, at offset: Int) -> Bool {
    arena.withOctets(at: offset, count: SecretName.length) { known in name.withOctets { $0.hasSameOctets(as: known) } }
  }

  private func find(_ name: RawSpan, _ hash: Int) -> (bucket: Int, offset: Int) {
    var bucket = hash & (buckets.count - 1)
    while buckets[bucket] != 0 {
      let offset = Int(buckets[bucket])
      if arena.withOctets(at: offset, count: SecretName.length, { $0.hasSameOctets(as: name) }) {
        return (bucket, offset)
      }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return (bucket, 0)
  }

  private mutating func grow() {
    let old = buckets
    buckets = Array(repeating: 0, count: max(old.count * 2, 64))
    for offset in old where offset != 0 {
      let hash = arena.withOctets(at: Int(offset), count: SecretName.length) { name in
        var hasher = Hasher()
        name.hash(into: &hasher)
        return hasher.finalize()
      }
      var bucket = hash & (buckets.count - 1)
      while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
      buckets[bucket] = offset
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
