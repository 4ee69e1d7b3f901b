import Cryptography

/// The known secrets of TLS connections, by their names in key logs.
///
/// They lie in memory that no core dump has. A million lines with as many names take some 95 MiB. With TLS 1.3 it is less than half: a name
/// with several secrets is stored once.
struct KeyLog {
  /// Names, each with its secrets as a chain, newest first. A name has the offset of its first secret behind it. A secret has the offset of
  /// the next one, its mark, its length, and its octets. Offset 0 means none: the arena starts with four unused octets.
  private let arena = SecretArena()
  /// Offsets of names by their hashes: open addressing with linear probing, 0 marks an empty bucket. The low bits are the offset, the
  /// others bits of the hash. So other names are rarely compared; each comparison reads uncached memory.
  private var buckets: [UInt32] = []
  private let hash = SecretNameHash()
  private var names = 0
  /// The name that was read last: a log has all secrets of a connection together.
  private var latest = 0
  /// Offsets of the newest names; the oldest is at `newestStart`.
  private var newest: [UInt32] = []
  private var newestStart = 0
  /// How often names were tried for hellos that name none. A hostile capture can have many of these.
  private var trials = 0
  private let limit: Int
  /// Lines that gave a new secret.
  private(set) var count = 0
  /// Whether secrets may still come for records that came before.
  var mayGrow = false
  /// The secrets that have opened something.
  var used = UsedSecrets()
  /// Whether the current connection has begun to wait for secrets. Reset by the pipeline.
  var hasNewWaiter = false
  /// The counts of each source.
  private(set) var sources: [SecretCounts] = Array(repeating: SecretCounts(), count: SecretMark.sources)
  /// Lines that had no room.
  private var refused = 0
  /// The start of a line whose end has not been read, without octets 0.
  private var partial: [UInt8] = []
  /// The source of that line.
  private var source = SecretMark.captures

  /// Bits of a bucket that are an offset: 128 MiB.
  private static let offsetBits: UInt32 = 27
  /// Octets of a line that are read at once; the longest line of any label has some 250.
  static let lineLimit = 1024
  /// The lengths of secrets in octets. The longest is one of SHA-512, though no suite uses it.
  private static let secretLengths = 32...64
  /// Secrets of one name and label. Programs that look for secrets in memory write a dozen, and one is right.
  static let candidateLimit = 16
  /// The newest names that are tried for a connection whose hello names none. A program opens such connections at about the same time.
  static let newestLimit = 256
  /// Trials of names in a whole run; each costs some microseconds.
  static let trialLimit = 1 << 18

  /// Creates an empty log that keeps at most `limit` octets.
  init(limit: Int) { self.limit = limit }

  /// Whether the log has no secret.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Octets of memory that the log takes.
  var memory: Int { names == 0 ? 0 : arena.memory + buckets.capacity * MemoryLayout<UInt32>.stride }

  /// The number of lines without room since the last call; at most 2²⁰ are reported.
  mutating func takeRefused() -> Int {
    defer { refused = 0 }
    return min(refused, 1 << 20)
  }

  // MARK: Secrets

  /// Lends a secret to `body`; returns nil if it is unknown.
  func withSecret<Result>(_ label: SecretLabel, of name: SecretName, _ body: (RawSpan) -> Result) -> Result? {
    guard names > 0 else { return nil }
    let offset = name.withOctets { find($0, hash.number($0)).offset }
    guard offset > 0, let secret = secret(label, ofNameAt: offset) else { return nil }
    return arena.withOctets(at: secret.offset, count: secret.count, body)
  }

  /// Whether a secret is known.
  func has(_ label: SecretLabel, of name: SecretName) -> Bool { withSecret(label, of: name) { _ in true } ?? false }

  /// Whether any secret of a name is known.
  func hasAny(of name: SecretName) -> Bool { names > 0 && name.withOctets { find($0, hash.number($0)).offset > 0 } }

  /// The labels of the known secrets of a client's random, a bit for each that names its secrets by it.
  func known(of name: SecretName) -> UInt8 {
    var known: UInt8 = 0
    for bit in UInt8(0)..<SecretLabel.premaster.rawValue {
      if let label = SecretLabel(rawValue: bit), has(label, of: name) { known |= 1 << bit }
    }
    return known
  }

  /// Learns a secret. Several secrets of one label and name are candidates: a record tells which one is right.
  mutating func learn(_ label: SecretLabel, of name: SecretName, _ secret: RawSpan, source: Int = SecretMark.derived) {
    guard Self.secretLengths ~= secret.byteCount else { return }
    guard let offset = offset(of: name) else {
      refused += 1
      return
    }
    var candidates = 0
    var next = Int(arena.number(at: offset + SecretName.length))
    while next > 0 {
      let (mark, length) = markAndLength(at: next)
      if mark.label == label.rawValue {
        candidates += 1
        if length == secret.byteCount, arena.withOctets(at: next + 6, count: length, { $0.hasSameOctets(as: secret) }) {
          if mark.source != source { sources[source].repeated += 1 }
          return
        }
      }
      next = Int(arena.number(at: next))
    }
    guard candidates < Self.candidateLimit, arena.memory <= limit else {
      refused += 1
      return
    }
    // Written at once, so that it lies in one block.
    var entry: InlineArray<70, UInt8> = .init(repeating: 0)
    let first = arena.number(at: offset + SecretName.length)
    for index in 0..<4 { entry[index] = UInt8(truncatingIfNeeded: first.littleEndian >> UInt32(8 * index)) }
    entry[4] = SecretMark(label, source: source).rawValue
    entry[5] = UInt8(secret.byteCount)
    for index in 0..<secret.byteCount { entry[6 + index] = secret.octet(index) }
    let length = 6 + secret.byteCount
    if let place = entry.withOctets({ arena.append($0.extracting(0..<length)) }) {
      arena.setNumber(UInt32(place), at: offset + SecretName.length)
      count += 1
      sources[source].secrets += 1
    } else {
      refused += 1
    }
    for index in 0..<length { entry[index] = 0 }
  }

  /// The secrets of a name under a label, by their places: those that opened records, then the others, newest first.
  func places(_ label: SecretLabel, of name: SecretName) -> [SecretPlace] {
    guard names > 0 else { return [] }
    let offset = name.withOctets { find($0, hash.number($0)).offset }
    return offset > 0 ? places(label, ofNameAt: offset) : []
  }

  private func places(_ label: SecretLabel, ofNameAt offset: Int) -> [SecretPlace] {
    var used: [SecretPlace] = []
    var others: [SecretPlace] = []
    var next = Int(arena.number(at: offset + SecretName.length))
    while next > 0 {
      let mark = markAndLength(at: next).mark
      if mark.label == label.rawValue {
        if mark.isUsed { used.append(SecretPlace(offset: next)) } else { others.append(SecretPlace(offset: next)) }
      }
      next = Int(arena.number(at: next))
    }
    return used + others
  }

  /// Lends the secret at a place to `body`.
  func withSecret<Result>(at place: SecretPlace, _ body: (RawSpan) -> Result) -> Result {
    arena.withOctets(at: place.offset + 6, count: markAndLength(at: place.offset).length, body)
  }

  /// Notes that a secret has opened a record. It comes before other candidates from now on.
  mutating func noteUse(of place: SecretPlace) {
    let mark = markAndLength(at: place.offset).mark
    guard !mark.isUsed else { return }
    let word = arena.number(at: place.offset + 4).littleEndian | UInt32(SecretMark.used)
    arena.setNumber(word.littleEndian, at: place.offset + 4)
    sources[mark.source].used += 1
  }

  private func markAndLength(at offset: Int) -> (mark: SecretMark, length: Int) {
    arena.withOctets(at: offset, count: 6) { (SecretMark(rawValue: $0.octet(4)), Int($0.octet(5))) }
  }

  /// Tries the newest names with a secret under a label, newest first, for a connection whose hello does not tell its name. Returns the
  /// first name whose secret `body` accepts.
  mutating func firstFitting(_ label: SecretLabel, _ body: (RawSpan) -> Bool) -> SecretName? {
    for index in newest.indices.reversed() {
      let offset = Int(newest[(newestStart + index) % newest.count])
      for place in places(label, ofNameAt: offset) {
        guard trials < Self.trialLimit else { return nil }
        trials += 1
        guard withSecret(at: place, body) else { continue }
        return arena.withOctets(at: offset, count: SecretName.length) {
          SecretName(.random, $0.extracting(1..<SecretName.length))
        }
      }
    }
    return nil
  }

  private mutating func remember(_ offset: Int) {
    if newest.count < Self.newestLimit { return newest.append(UInt32(offset)) }
    newest[newestStart] = UInt32(offset)
    newestStart = (newestStart + 1) % newest.count
  }

  /// The first of the secrets of a name under a label, in the order of `places`.
  private func secret(_ label: SecretLabel, ofNameAt offset: Int) -> (offset: Int, count: Int)? {
    var newest: (offset: Int, count: Int)?
    var next = Int(arena.number(at: offset + SecretName.length))
    while next > 0 {
      let (mark, length) = markAndLength(at: next)
      if mark.label == label.rawValue {
        if mark.isUsed { return (next + 6, length) }
        newest = newest ?? (next + 6, length)
      }
      next = Int(arena.number(at: next))
    }
    return newest
  }

  // MARK: Names

  /// The offset of a name, which is stored if it is new; nil if there is no room.
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

  /// Reads more octets of a log, which may come in any pieces.
  mutating func read(_ octets: RawSpan, source: Int) {
    if source != self.source { finishLine() }
    self.source = source
    sources[source].octets += octets.byteCount
    var start = 0
    while start < octets.byteCount {
      guard let end = octets.firstOffset(of: 0x0a, in: start..<octets.byteCount) else {
        keep(octets, start..<octets.byteCount)
        return
      }
      if partial.isEmpty, end - start <= Self.lineLimit {
        readLine(octets.extracting(start..<end))
      } else {
        keep(octets, start..<end)
        finishLine()
      }
      start = end + 1
    }
  }

  /// Reads the last line of a log, which may have no end.
  mutating func finishLine() {
    let line = partial
    partial = []
    line.withOctets { readLine($0) }
  }

  /// Keeps octets of a line without an end. Entries in a line that is too long are read at once.
  ///
  /// Octets 0 are left out. In UTF-16 they stand beside each octet of a log.
  private mutating func keep(_ octets: RawSpan, _ range: Range<Int>) {
    for offset in range {
      let octet = octets.octet(offset)
      if octet != 0 { partial.append(octet) }
      guard partial.count > Self.lineLimit else { continue }
      let piece = partial
      let known = piece.withOctets { readEntries($0, isWhole: false) }
      partial.removeFirst(known)
    }
  }

  private mutating func readLine(_ line: RawSpan) {
    guard line.byteCount > 0 else { return }
    if let read = KeyLogLine(line) { return learn(read) }
    // A line in pieces loses each octet 0; so does a whole one, or a log would depend on how it is cut.
    if (0..<line.byteCount).contains(where: { line.octet($0) == 0 }) {
      keep(line, 0..<line.byteCount)
      return finishLine()
    }
    _ = readEntries(line, isWhole: true)
  }

  /// Reads the entries in octets of a line, wherever they are. Returns the number of octets that are read; the rest may be the start of an
  /// entry if the line goes on.
  private mutating func readEntries(_ octets: RawSpan, isWhole: Bool) -> Int {
    var search = KeyLogSearch(octets)
    while let line = search.next(octets, isWhole: isWhole) { learn(line) }
    return search.offset
  }

  private mutating func learn(_ line: KeyLogLine) {
    line.secret.withOctets { learn(line.label, of: line.name, $0.extracting(0..<line.secretLength), source: source) }
  }
}
