/// The orders of APIs in the live view: largest first, or by name.
enum LiveOrder: Sendable, CaseIterable {
  case bytes, rate, up, down, requests, errors, wait, name

  /// The order of a key.
  init?(key: Unicode.Scalar) {
    guard let order = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = order
  }

  /// The key.
  var key: Unicode.Scalar {
    switch self {
    case .bytes: "b"
    case .rate: "r"
    case .up: "u"
    case .down: "d"
    case .requests: "n"
    case .errors: "e"
    case .wait: "w"
    case .name: "a"
    }
  }

  /// Its word beside its key.
  var word: String {
    switch self {
    case .bytes: "bytes"
    case .rate: "rate"
    case .up: "up"
    case .down: "down"
    case .requests: "requests"
    case .errors: "errors"
    case .wait: "wait"
    case .name: "name"
    }
  }

  /// The positions of the APIs that pass `filter`, in this order. Equal APIs keep their order, so that rows do not jump between
  /// updates.
  func arranged(_ apis: [LiveAPI], filter: String) -> [Int] {
    let wanted = Array(filter.utf8).map(Self.lowercased)
    let positions = apis.indices.filter { wanted.isEmpty || Self.contains(apis[$0].name, wanted) }
    switch self {
    case .bytes: return Self.sorted(positions) { apis[$0].total }
    case .rate: return Self.sorted(positions) { apis[$0].rate }
    case .up: return Self.sorted(positions) { apis[$0].up }
    case .down: return Self.sorted(positions) { apis[$0].down }
    case .requests: return Self.sorted(positions) { apis[$0].requests }
    case .errors: return Self.sorted(positions) { apis[$0].errors }
    case .wait: return Self.sorted(positions) { apis[$0].p95 ?? -1 }
    case .name: return positions  // Totals come in the order of names.
    }
  }

  private static func sorted<Figure: Comparable>(_ positions: [Int], by figure: (Int) -> Figure) -> [Int] {
    positions.map { (position: $0, figure: figure($0)) }
      .sorted { $0.figure == $1.figure ? $0.position < $1.position : $0.figure > $1.figure }
      .map(\.position)
  }

  private static func lowercased(_ octet: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet ? octet | 0x20 : octet
  }

  private static func contains(_ name: String, _ wanted: [UInt8]) -> Bool {
    let name = Array(name.utf8)
    guard name.count >= wanted.count else { return false }
    return (0...name.count - wanted.count).contains { start in
      wanted.indices.allSatisfy { lowercased(name[start + $0]) == wanted[$0] }
    }
  }
}
