import Foundation
import TableReading

/// Cuts a JSON text of a log into the elements of its long arrays and the rest, octet by octet, so that a log is never in memory whole.
///
/// The long arrays are `log.entries` of a HAR, `events` of a netlog, an outermost array, and arrays that an outermost object has, or the
/// objects in it. Several values behind each other are elements, too, whether commas, lines or record separators (RFC 7464) are between
/// them. So are the members of one object, for a reader that asks for them. Values that no reader needs are left out: arrays inside of a
/// HAR and of a netlog's constants, and texts that are longer than any that is needed. The decoder then judges each element and the rest;
/// brackets and commas are judged here where it does not see them.
struct JSONElements {
  /// The places of elements.
  enum Place: Hashable {
    case entry
    case event
    /// Of an outermost array: a task, or the row of a table.
    case outermost
    /// Of an array of the outermost object or of objects in it, the first being 0: the row of a table.
    case member(Int)
    /// A member of the object that the names of members lead to: the row of a table that has a name.
    case named([String])
    /// One of the values behind each other: a task, or the row of a table.
    case value
  }

  /// The octets of one element, or of all but the elements. A task of a hundred redirects has some 100,000.
  static let longest = 8 << 20
  /// The octets of a text: a longer one is read as an empty one.
  static let longestText = 1 << 20
  /// Objects around the array of a table.
  static let deepestTable = 8
  /// Values in each other: as many as the decoder takes.
  private static let deepest = 512
  /// The octet in front of each value of a text sequence (RFC 7464 §2.2).
  private static let separator: UInt8 = 0x1e
  /// Octets of a name in an object that are kept.
  private static let longestName = 64

  /// The text without the elements.
  private(set) var rest: [UInt8] = []
  /// Whether the brackets or commas are wrong.
  private(set) var isBroken = false
  /// The brackets that the text lacks where it ended inside the long array; else nil.
  var missingEnd: [UInt8]? {
    place == nil ? nil : open[..<depth].reversed().map { UInt8(ascii: $0.isObject ? "}" : "]") }
  }
  /// Whether the text has several values behind each other. The first one is the rest where this was not said before.
  var hasSeveralValues: Bool { place == .value }
  /// Whether the text ended inside of one of several values.
  var isInsideValue: Bool { hasSeveralValues && !(open.isEmpty && element.isEmpty) }

  private let file: String
  /// For each open value, whether it is an object, and the name of its current member.
  private var open: [(isObject: Bool, name: [UInt8])] = []
  private var place: Place?
  /// The arrays of the outermost object so far.
  private var members = 0
  /// The number of open values around each element.
  private var depth = 0
  private var element: [UInt8] = []
  private var isAfterComma = false
  /// Whether the last outermost value that ended is an object.
  private var isBehindObject = false
  /// The number of open values at the array that is left out; nil outside of one.
  private var leftOut: Int?
  private var isName = false
  private var isInText = false
  private var isEscaped = false
  private var textStart = 0
  private var textLength = 0
  private var name: [UInt8] = []

  /// The names that lead to the object whose members are elements; nil without one.
  private let way: [String]?

  /// Elements of `.value` are found where `place` says so, and else behind the first value; those of `.named` only where it says so.
  init(file: String, for place: Place? = nil) {
    self.file = file
    if case .named(let names) = place { way = names } else { way = nil }
    if place == .value { self.place = .value }
  }

  /// Takes the next octets. `body` gets each element that ends in them.
  mutating func take(
    _ octets: [UInt8], _ body: (Place, [UInt8]) throws(LogError) -> Void
  ) throws(LogError) {
    for octet in octets {
      if isInText {
        takeText(octet)
        continue
      }
      switch octet {
      case UInt8(ascii: "\""):
        try copy(octet)
        (isInText, textLength, textStart) = (true, 0, place == nil ? rest.count : element.count)
        if isName { name.removeAll(keepingCapacity: true) }
      case UInt8(ascii: "{"), UInt8(ascii: "["): try begin(isObject: octet == UInt8(ascii: "{"), octet)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): try end(isObject: octet == UInt8(ascii: "}"), octet, body)
      case UInt8(ascii: ","):
        isName = open.last?.isObject ?? false
        if open.isEmpty, isBehindObject {
          beginValues()
        } else if let place, open.count == depth {
          if element.isEmpty { isBroken = true } else { try body(place, element) }
          element.removeAll(keepingCapacity: true)
          isAfterComma = true
        } else {
          try copy(octet)
        }
      case UInt8(ascii: ":"):
        isName = false
        if case .named = place, open.count == depth {
          element.removeAll(keepingCapacity: true)
        } else {
          try copy(octet)
        }
      case Self.separator where open.isEmpty: beginValues()
      case 0x20, 0x09, 0x0a, 0x0d: if place == nil || !element.isEmpty { try copy(octet) }
      default: try copy(octet)
      }
    }
  }

  private mutating func takeText(_ octet: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if octet == UInt8(ascii: "\\") {
      isEscaped = true
    } else if octet == UInt8(ascii: "\"") {
      isInText = false
      if isName, !open.isEmpty { open[open.count - 1].name = name }
      if leftOut == nil { append(octet) }
      return
    }
    textLength += 1
    if isName, name.count < Self.longestName { name.append(octet) }
    guard leftOut == nil, textLength <= Self.longestText else {
      // Cut anywhere else, it might end inside of a character or an escape.
      if leftOut == nil, place == nil { rest.removeLast(rest.count - textStart) }
      if leftOut == nil, place != nil { element.removeLast(element.count - textStart) }
      return
    }
    append(octet)
  }

  private mutating func begin(isObject: Bool, _ octet: UInt8) throws(LogError) {
    guard open.count < Self.deepest else {
      isBroken = true
      return
    }
    if isObject, open.isEmpty, isBehindObject { beginValues() }
    try copy(octet)
    open.append((isObject, []))
    isName = isObject
    if let way, isObject, place == nil, leadsHere(way) {
      (place, depth, isAfterComma) = (.named(way), open.count, false)
    }
    guard way == nil, !isObject, leftOut == nil else { return }
    if let place {
      // The only arrays that are needed are a task's transactions and an event's header lines.
      if place == .entry { leftOut = open.count }
      return
    }
    switch open.count - 1 {
    case 0: place = .outermost
    case 1 where isMember(0, "events"): place = .event
    case 2 where isMember(0, "log") && isMember(1, "entries"): place = .entry
    case 1...Self.deepestTable
    where isInObjects && !isMember(0, "transactionMetrics") && (open.count == 2 || !isOfOtherLogs):
      place = .member(members)
      members += 1
    default:
      if isOfOtherLogs { leftOut = open.count }
      return
    }
    depth = open.count
    isAfterComma = false
  }

  private mutating func end(
    isObject: Bool, _ octet: UInt8, _ body: (Place, [UInt8]) throws(LogError) -> Void
  ) throws(LogError) {
    guard let last = open.last, last.isObject == isObject else {
      isBroken = true
      return try copy(octet)
    }
    if let place, open.count == depth {
      if !element.isEmpty { try body(place, element) } else if isAfterComma { isBroken = true }
      element.removeAll(keepingCapacity: true)
      self.place = nil
    }
    if leftOut == open.count { leftOut = nil }
    open.removeLast()
    isName = false
    try copy(octet)
    guard open.isEmpty else { return }
    isBehindObject = isObject
    guard place == .value else { return }
    try body(.value, element)
    element.removeAll(keepingCapacity: true)
  }

  /// Another value may begin behind the one that ended.
  private mutating func beginValues() { (place, depth) = (.value, 0) }

  private mutating func copy(_ octet: UInt8) throws(LogError) {
    guard leftOut == nil else { return }
    append(octet)
    guard (place == nil ? rest.count : element.count) <= Self.longest else {
      let what = place == nil ? "beside its entries" : "in one entry"
      throw LogError(file: file, "has more than \(Self.longest) bytes of JSON \(what)")
    }
  }

  private mutating func append(_ octet: UInt8) { if place == nil { rest.append(octet) } else { element.append(octet) } }

  /// Whether all values around the innermost one are objects.
  private var isInObjects: Bool { open.dropLast().allSatisfy(\.isObject) }

  /// Whether the outermost object's current member is one of a HAR or a netlog.
  private var isOfOtherLogs: Bool { ["log", "constants", "polledData"].contains { isNamed(open[0].name, $0) } }

  /// Whether names of members lead to the innermost value.
  private func leadsHere(_ names: [String]) -> Bool {
    open.count == names.count + 1 && names.indices.allSatisfy { isMember($0, names[$0]) }
  }

  /// Whether the open value at `depth` is an object whose current member has this name.
  private func isMember(_ depth: Int, _ text: String) -> Bool {
    open[depth].isObject && isNamed(open[depth].name, text)
  }

  /// Whether a name in an object is a text; names may have escapes.
  private func isNamed(_ name: [UInt8], _ expected: String) -> Bool {
    if !name.contains(UInt8(ascii: "\\")) { return name.elementsEqual(expected.utf8) }
    let quoted = [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")]
    return (try? JSONDecoder().decode(String.self, from: Data(quoted))) == expected
  }
}
