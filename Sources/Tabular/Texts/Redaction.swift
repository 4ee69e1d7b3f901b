import Packets
import Shared

/// Hides personal data (`--redact`): addresses, and paths beyond their first segment, become `~` and the first eight hexadecimal digits of
/// a digest.
///
/// Equal texts have equal digits in every file and every run, so rows still group and reports compare. But anyone who guesses a path or an
/// address can check the guess. A plain digest is a pseudonym, not anonymity. A digest keyed with a secret (HMAC) prevents that.
public struct Redaction: Sendable {
  /// A cryptographic hash, such as SHA-256, of at least four octets.
  public typealias Digest = @Sendable ([UInt8]) -> [UInt8]

  private let digest: Digest
  /// The long texts that were hashed last, with their pseudonyms, oldest first. Thousands of rows repeat the path or the host of one request,
  /// each in every format, and a digest of 60 KB takes longer than all else of such a row.
  private let recent = Locked<[(text: [UInt8], pseudonym: [UInt8])]>([])

  /// Octets from which on a text is remembered. No name of a host is so long (RFC 1035 §2.3.4).
  private static var longText: Int { 1024 }
  /// Texts that are remembered. Each look compares with all of them.
  private static var recentLimit: Int { 8 }

  /// Redacts with a digest.
  public init(digest: @escaping Digest) { self.digest = digest }

  /// Redacts a path. The first segment stays, and the rest is hashed together with it. `/users/42/x` becomes `/users/~` and digits;
  /// `/users`, `/users/` and `*` hide nothing.
  package func path(_ path: [UInt8]) -> [UInt8] {
    guard let first = path.first else { return path }
    let slash = UInt8(ascii: "/")
    guard first == slash else { return path == [UInt8(ascii: "*")] ? path : pseudonym(path) }
    guard let end = path.withOctets({ $0.firstOffset(of: slash, in: 1..<$0.byteCount) }), end + 1 < path.count else {
      return path
    }
    return path[...end] + pseudonym(path)
  }

  /// Redacts a host. Names stay, IP literals are hashed as in endpoints, and the port stays. A text that is too long for either is hashed.
  package func host(_ host: [UInt8]) -> [UInt8] {
    guard host.count < Self.longText else { return pseudonym(host) }
    guard let literal = IPLiteral(host) else { return host }
    return pseudonym(literal.address) + host[literal.portStart...]
  }

  /// The pseudonym of an address.
  package func address(_ address: IPAddress) -> [UInt8] { pseudonym(address.octets) }

  private func pseudonym(_ text: [UInt8]) -> [UInt8] {
    guard text.count >= Self.longText else { return hash(text) }
    return recent.withLock { recent in
      let known = text.withOctets { octets in recent.first { octets.hasSameOctets(as: $0.text) } }
      if let known { return known.pseudonym }
      let pseudonym = hash(text)
      if recent.count == Self.recentLimit { recent.removeFirst() }
      recent.append((text, pseudonym))
      return pseudonym
    }
  }

  private func hash(_ text: [UInt8]) -> [UInt8] {
    var result = [UInt8(ascii: "~")]
    for octet in digest(text).prefix(4) {
      result.append(TextEscaping.hexadecimalDigit(octet >> 4))
      result.append(TextEscaping.hexadecimalDigit(octet & 0xf))
    }
    return result
  }
}

extension IPAddress {
  /// The 16 octets in network order; IPv4 in its mapped form.
  fileprivate var octets: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - $0 * 8)) } }
  }
}

/// A host that is an IP address, not a name.
private struct IPLiteral {
  /// The 16 octets of the address, for hashing, so that `10.0.0.1` has the same hash as a host and as an endpoint. For an unusual form,
  /// which is not decoded, it is the text itself: hiding it is enough.
  var address: [UInt8]
  /// The offset of the port's colon, or the end.
  var portStart: Int

  /// Nil for a name.
  init?(_ host: [UInt8]) {
    let colon = UInt8(ascii: ":")
    if host.first == UInt8(ascii: "[") {
      portStart = (host.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }) ?? host.count
      address = Self.ipv6(host[1..<max(portStart - 1, 1)])?.octets ?? Array(host[..<portStart])
      return
    }
    let colons = host.count { $0 == colon }
    if colons > 1 {
      portStart = host.count
      address = Self.ipv6(host[...])?.octets ?? host
      return
    }
    portStart = host.firstIndex(of: colon) ?? host.count
    let name = host[..<portStart]
    // A host whose last label is a number is never a name (RFC 3986 §7.4, WHATWG URL §3.5). It is an IPv4 address in some form (127.1,
    // 0x7f000001).
    let labels = name.split(separator: UInt8(ascii: "."))
    guard let last = labels.last, Self.isNumber(last) else { return nil }
    address = Self.ipv4(labels)?.octets ?? Array(name)
  }

  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    if label.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
    return label.count >= 2 && label.first == 0x30 && label.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
      && label.dropFirst(2).allSatisfy { hexadecimal($0) != nil }
  }

  private static func hexadecimal(_ octet: UInt8) -> UInt16? {
    switch octet {
    case 0x30...0x39: UInt16(octet - 0x30)
    case 0x41...0x46: UInt16(octet - 0x41 + 10)
    case 0x61...0x66: UInt16(octet - 0x61 + 10)
    default: nil
    }
  }

  private static func ipv4(_ labels: [ArraySlice<UInt8>]) -> IPAddress? {
    guard labels.count == 4 else { return nil }
    var address: UInt32 = 0
    for label in labels {
      guard label.count <= 3, label.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      let value = label.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - 0x30) }
      guard value <= 255 else { return nil }
      address = address << 8 | value
    }
    return IPAddress(v4: address)
  }

  private static func ipv6(_ text: ArraySlice<UInt8>) -> IPAddress? {
    let colon = UInt8(ascii: ":")
    var head: [UInt16] = []
    var tail: [UInt16] = []
    var hasGap = false
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == colon, text.index(after: index) < text.endIndex, text[index + 1] == colon {
        guard !hasGap else { return nil }
        hasGap = true
        index += 2
        continue
      }
      if text[index] == colon { index += 1 }
      let digits = text[index...].prefix { $0 != colon }
      if digits.contains(UInt8(ascii: ".")) {
        guard let v4 = ipv4(digits.split(separator: UInt8(ascii: "."))) else { return nil }
        let pair = [UInt16(truncatingIfNeeded: v4.low >> 16), UInt16(truncatingIfNeeded: v4.low)]
        if hasGap { tail += pair } else { head += pair }
      } else {
        guard (1...4).contains(digits.count) else { return nil }
        var group: UInt16 = 0
        for digit in digits {
          guard let value = hexadecimal(digit) else { return nil }
          group = group << 4 | value
        }
        if hasGap { tail.append(group) } else { head.append(group) }
      }
      index = digits.endIndex
    }
    guard hasGap ? head.count + tail.count < 8 : head.count == 8 else { return nil }
    let groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    func half(_ range: Range<Int>) -> UInt64 { groups[range].reduce(0) { $0 << 16 | UInt64($1) } }
    return IPAddress(high: half(0..<4), low: half(4..<8))
  }
}
