/// The names of a field section in order, and whether peers may send it (RFC 9113 §8.3).
struct FieldOrder {
  /// The purpose of a section.
  enum Kind {
    case request
    case response
    case trailer
  }

  let kind: Kind
  private var seen: UInt16 = 0
  private var hasRegular = false
  /// Unknown fields that may be pseudo-header fields, and those of them that must be.
  private var unknown = 0
  private var unknownPseudo = 0
  private(set) var isPossible = true

  init(_ kind: Kind) { self.kind = kind }

  mutating func take(_ name: FieldNameKind) {
    switch name {
    case .unknown: if !hasRegular { unknown += 1 }
    case _ where !name.isPseudo: hasRegular = true
    default:
      let isAllowed =
        switch kind {
        case .request: name != .status && name != .otherPseudo
        case .response: name == .status
        case .trailer: false
        }
      unknownPseudo = unknown
      let bit: UInt16 = 1 << UInt16(name.rawValue)
      if !isAllowed || hasRegular || seen & bit != 0 { isPossible = false }
      seen |= bit
      if seen.nonzeroBitCount + unknownPseudo > (kind == .request ? 5 : 1) { isPossible = false }
    }
  }

  /// Whether the section is possible with its end. A CONNECT has no scheme and no path; `mayBeConnect` is false for known other methods.
  func isPossible(asWhole mayBeConnect: Bool) -> Bool {
    guard isPossible else { return false }
    func lacks(_ name: FieldNameKind) -> Int { seen & 1 << UInt16(name.rawValue) == 0 ? 1 : 0 }
    return switch kind {
    case .request:
      lacks(.method) + (mayBeConnect ? 0 : lacks(.scheme) + lacks(.path)) <= unknown
    case .response: lacks(.status) <= unknown
    case .trailer: true
    }
  }
}
