/// A pattern for hosts, paths or files. `*` matches any octets but `/`, `**` any octets, and `?` one octet but `/`. A backslash
/// before one of these, or before another backslash, makes it literal.
package struct NamePattern: Sendable, Equatable {
  /// The text as given.
  package let text: String
  private let parts: [Part]
  private let ignoresCase: Bool

  private enum Part: Equatable {
    case octet(UInt8)
    case one
    case any
    case anyWithSlashes
  }

  /// Parses a pattern. Hosts are case-insensitive (RFC 3986 §3.2.2), paths are not.
  package init(_ text: String, ignoresCase: Bool) {
    self.text = text
    self.ignoresCase = ignoresCase
    var parts: [Part] = []
    var octets = Array(text.utf8)[...]
    while let octet = octets.popFirst() {
      switch octet {
      case UInt8(ascii: "\\"): parts.append(.octet(Self.folded(octets.popFirst() ?? octet, ignoresCase)))
      case UInt8(ascii: "?"): parts.append(.one)
      case UInt8(ascii: "*"):
        let isDouble = octets.first == octet
        while octets.first == octet { octets.removeFirst() }
        parts.append(isDouble ? .anyWithSlashes : .any)
      default: parts.append(.octet(Self.folded(octet, ignoresCase)))
      }
    }
    self.parts = parts
  }

  /// Whether the pattern matches the whole name. The time is proportional to the product of both lengths, for any name.
  package func matches(_ name: [UInt8]) -> Bool {
    // The parts of the pattern that may come next, after the octets of the name so far.
    var isNext = [Bool](repeating: false, count: parts.count + 1)
    isNext[0] = true
    passStars(&isNext)
    var after = isNext
    for octet in name {
      let octet = Self.folded(octet, ignoresCase)
      let isSlash = octet == UInt8(ascii: "/")
      for position in after.indices { after[position] = false }
      for (position, part) in parts.enumerated() where isNext[position] {
        switch part {
        case .octet(let expected): if expected == octet { after[position + 1] = true }
        case .one: if !isSlash { after[position + 1] = true }
        case .any: if !isSlash { after[position] = true }
        case .anyWithSlashes: after[position] = true
        }
      }
      passStars(&after)
      swap(&isNext, &after)
    }
    return isNext[parts.count]
  }

  /// A star may match nothing.
  private func passStars(_ isNext: inout [Bool]) {
    for (position, part) in parts.enumerated() where isNext[position] {
      if part == .any || part == .anyWithSlashes { isNext[position + 1] = true }
    }
  }

  private static func folded(_ octet: UInt8, _ ignoresCase: Bool) -> UInt8 {
    ignoresCase && (0x41...0x5a).contains(octet) ? octet | 0x20 : octet
  }
}
