/// Groups paths that differ only in identifiers: `/users/42/orders` becomes `/users/{id}/orders`, and `/photos/37648.png` becomes
/// `/photos/{id}.png`.
package enum PathTemplate {
  /// The placeholder for an identifier.
  static let placeholder: [UInt8] = Array("{id}".utf8)

  /// Segments of a path that are examined; real paths have ten or so. The rest counts as one segment, which is no identifier.
  static let segmentLimit = 64

  /// The segments of a path. The rest beyond the limit is one more segment.
  static func segments(of path: [UInt8]) -> [ArraySlice<UInt8>] {
    path.split(separator: ASCII.slash, maxSplits: segmentLimit, omittingEmptySubsequences: false)
  }

  /// The path with each segment replaced that looks like an identifier, except a file name's extension.
  package static func template(of path: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(path.count)
    for (index, segment) in segments(of: path).enumerated() {
      if index > 0 { result.append(ASCII.slash) }
      guard index < segmentLimit else {
        result += segment
        break
      }
      let stem = stem(of: segment)
      if IdentifierShape(stem).isIdentifier {
        result += placeholder
        result += segment[stem.endIndex...]
      } else {
        result += segment
      }
    }
    return result
  }

  /// A segment without its extensions: up to two, each of a letter and at most four letters or digits, as in `data.tar.gz`.
  private static func stem(of segment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var stem = segment
    for _ in 0..<2 {
      guard let dot = stem.lastIndex(of: UInt8(ascii: ".")), dot > stem.startIndex else { break }
      let name = stem[(dot + 1)...]
      guard 1...5 ~= name.count, name.first.map(isLetter) == true, name.allSatisfy({ isLetter($0) || isDigit($0) })
      else { break }
      stem = stem[..<dot]
    }
    return stem
  }

  fileprivate static func isDigit(_ octet: UInt8) -> Bool { octet >= 0x30 && octet <= 0x39 }
  fileprivate static func isUpper(_ octet: UInt8) -> Bool { octet >= 0x41 && octet <= 0x5a }
  fileprivate static func isLower(_ octet: UInt8) -> Bool { octet >= 0x61 && octet <= 0x7a }
  fileprivate static func isLetter(_ octet: UInt8) -> Bool { isUpper(octet) || isLower(octet) }
}

/// The composition of a path segment, and whether it looks like an identifier. docs/templates.md has the rules for users.
private struct IdentifierShape {
  private let segment: ArraySlice<UInt8>
  private var digits = 0
  private var hexadecimal = 0
  private var upper = 0
  private var lower = 0
  /// Hyphens and underscores, which join words.
  private var joints = 0
  /// All other octets, which are no letters or digits.
  private var others = 0
  /// Changes between kinds of octets. A capital letter and the small letters after it are one kind.
  private var changes = 0

  init(_ segment: ArraySlice<UInt8>) {
    self.segment = Self.withoutPadding(segment)
    var previous = Kind.none
    for octet in self.segment {
      let kind = Kind(octet)
      switch kind {
      case .digit: digits += 1
      case .upper: upper += 1
      case .lower: lower += 1
      case .joint: joints += 1
      case .none: others += 1
      }
      if kind == .digit || octet | 0x20 >= 0x61 && octet | 0x20 <= 0x66 && octet >= 0x41 { hexadecimal += 1 }
      if kind != previous, previous != .none, !(previous == .upper && kind == .lower) { changes += 1 }
      previous = kind
    }
  }

  private enum Kind {
    case digit, upper, lower, joint, none

    init(_ octet: UInt8) {
      if PathTemplate.isDigit(octet) {
        self = .digit
      } else if PathTemplate.isUpper(octet) {
        self = .upper
      } else if PathTemplate.isLower(octet) {
        self = .lower
      } else {
        self = octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_") ? .joint : .none
      }
    }
  }

  /// Removes base64 padding: up to two equals signs, which may be percent-encoded.
  private static func withoutPadding(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = segment
    for _ in 0..<2 {
      if rest.last == UInt8(ascii: "=") {
        rest = rest.dropLast()
      } else if rest.suffix(3).elementsEqual(Array("%3D".utf8)) || rest.suffix(3).elementsEqual(Array("%3d".utf8)) {
        rest = rest.dropLast(3)
      }
    }
    return rest
  }

  private var count: Int { segment.count }
  private var letters: Int { upper + lower }

  /// Whether the segment is an identifier.
  var isIdentifier: Bool {
    guard count > 0 else { return false }
    if isDate { return true }
    guard others == 0 else { return false }
    return digits == count || isHexadecimal || isULID || isNumberedCode || isToken
  }

  /// Whether it is hexadecimal with at least one decimal digit: an even length from 8, or any length from 16. UUIDs with their hyphens
  /// count, too.
  private var isHexadecimal: Bool {
    guard digits > 0, hexadecimal + joints == count else { return false }
    return joints == 0 ? count >= 8 && count % 2 == 0 || count >= 16 : hexadecimal >= 16
  }

  /// Whether it is 26 octets of Crockford's base 32, the first at most 7.
  private var isULID: Bool {
    guard count == 26, joints == 0, digits > 0, upper == 0 || lower == 0, let first = segment.first, first >= 0x30,
      first <= 0x37
    else { return false }
    return !segment.contains { [0x49, 0x4c, 0x4f, 0x55].contains($0 & 0xdf) && PathTemplate.isLetter($0) }
  }

  /// Whether it is a word and numbers, as in `ORD-2026-00123`, `invoice_12345` or `user12345`. It needs five digits in a row, or three in
  /// all after capital letters and a hyphen. `top-10`, `summer-2026` and `iso-8859-1` are names.
  private var isNumberedCode: Bool {
    let word = segment.prefix { PathTemplate.isLetter($0) }
    let rest = segment[word.endIndex...]
    guard 1...12 ~= word.count, let first = rest.first, rest.allSatisfy({ Kind($0) == .digit || Kind($0) == .joint })
    else {
      return isNumberedInParts
    }
    let isCapital = word.allSatisfy { PathTemplate.isUpper($0) }
    if isCapital, Kind(first) == .joint { return digits >= 3 }
    return rest.split { Kind($0) == .joint }.contains { $0.count >= 5 }
  }

  /// Whether it is numbers joined by hyphens or underscores, as in `12-34567`.
  private var isNumberedInParts: Bool { letters == 0 && digits >= 4 }

  /// Whether it looks like a random choice of letters and digits: kinds of octets change often, and no words are joined.
  private var isToken: Bool {
    guard !isSlug else { return false }
    if digits >= 4, letters + digits >= 20 { return true }
    if digits >= 2, lower == 0, joints == 0, letters > 0, count >= 16 { return true }
    guard upper > 0, lower > 0, changes * 10 >= count * 3 else { return false }
    return digits > 0 ? count >= 10 : count >= 16
  }

  /// Whether it joins two or more words of three or more letters, like a title for people.
  private var isSlug: Bool {
    guard joints > 0 else { return false }
    let words = segment.split { Kind($0) == .joint }.filter { part in
      part.count >= 3 && part.allSatisfy { PathTemplate.isLower($0) } || part.count >= 3 && Self.isCapitalized(part)
    }
    return words.count >= 2
  }

  private static func isCapitalized(_ part: ArraySlice<UInt8>) -> Bool {
    part.first.map(PathTemplate.isUpper) == true && part.dropFirst().allSatisfy { PathTemplate.isLower($0) }
  }

  /// Whether it is a date: `2026-11-23`, `2026-11`, or `20261123T101500`. A time may follow a `T` as in ISO 8601, colons percent-encoded or
  /// not.
  private var isDate: Bool {
    let text = Array(segment)
    func isPart(_ range: Range<Int>, _ numbers: ClosedRange<Int>) -> Bool {
      guard range.upperBound <= text.count, text[range].allSatisfy(PathTemplate.isDigit) else { return false }
      return numbers ~= text[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    if text.count >= 13, isPart(0..<4, 1000...2999), isPart(4..<6, 1...12), isPart(6..<8, 1...31),
      text[8] | 0x20 == UInt8(ascii: "t")
    {
      return text[9...].allSatisfy { PathTemplate.isDigit($0) || $0 | 0x20 == UInt8(ascii: "z") }
    }
    guard text.count >= 7, isPart(0..<4, 1000...2999), text[4] == UInt8(ascii: "-"), isPart(5..<7, 1...12)
    else { return false }
    if text.count == 7 { return true }
    guard text.count >= 10, text[7] == UInt8(ascii: "-"), isPart(8..<10, 1...31) else { return false }
    if text.count == 10 { return true }
    guard text[10] | 0x20 == UInt8(ascii: "t") else { return false }
    return text[11...].allSatisfy { octet in
      PathTemplate.isDigit(octet) || [0x3a, 0x2e, 0x2b, 0x2d, 0x5a, 0x7a, 0x25, 0x41].contains(octet)
    }
  }
}
