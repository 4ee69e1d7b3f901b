/// The unit in which a column of a log has its figures: `round(octets · numerator / denominator) · step`.
struct FigureUnit: Hashable, Sendable {
  /// The directions of rounding.
  enum Rounding: CaseIterable, Hashable, Sendable {
    case down, nearest
    /// To the nearest, and halves to the even one, as Python rounds.
    case even
    case up
  }

  var numerator = 1
  var denominator = 1
  /// The figure of one unit: 1 where the log counts units, the unit's octets where it has rounded octets.
  var step = 1
  var rounding = Rounding.down

  /// Octets.
  static let octets = FigureUnit()

  /// Octets beyond which a figure is taken as it is, so that no product overflows.
  private static let limit = 1 << 40

  /// The figure for a number of octets.
  func figure(_ octets: Int) -> Int {
    guard self != .octets, octets.magnitude < Self.limit else { return octets }
    let product = octets * numerator
    var quotient = product / denominator
    let rest = product - quotient * denominator
    switch rounding {
    case .down: if rest < 0 { quotient -= 1 }
    case .nearest: if 2 * rest >= denominator { quotient += 1 } else if -2 * rest > denominator { quotient -= 1 }
    case .even:
      if 2 * rest > denominator || 2 * rest == denominator && quotient & 1 == 1 { quotient += 1 }
      if -2 * rest > denominator || -2 * rest == denominator && quotient & 1 == 1 { quotient -= 1 }
    case .up: if rest > 0 { quotient += 1 }
    }
    return quotient * step
  }

  /// The octets of a figure where the unit loses none; else nil.
  func octets(_ figure: Int) -> Int? {
    guard denominator == 1, step == 1 else { return nil }
    return figure % numerator == 0 ? figure / numerator : nil
  }

  /// The unit in words, as in "kB, rounded down".
  var words: String {
    let direction =
      switch rounding {
      case .down: "rounded down"
      case .nearest, .even: "rounded"
      case .up: "rounded up"
      }
    if self == FigureUnit(numerator: 8) { return "bits" }
    if step > 1 { return "\(direction) to multiples of \(step) bytes" }
    if numerator == 1 {
      switch denominator {
      case 1000: return "kB, \(direction)"
      case 1024: return "KiB, \(direction)"
      default: return "units of \(denominator) bytes, \(direction)"
      }
    }
    if denominator == 1 { return "\(numerator) times the bytes" }
    let digits = String(denominator).count - 1
    let whole = String(numerator / denominator)
    let part = String(String(denominator + numerator % denominator).dropFirst())
    return "bytes times \(whole).\(part.prefix(digits)), \(direction)"
  }

  // MARK: Fitting

  /// A row: its figure, and the octets by each plain way to count; nil where one does not apply.
  typealias Row = (octets: [Int?], figure: Int)

  /// The fewest rows with a figure beside 0, and the fewest different figures, that tell a unit.
  private static let leastRows = 5
  private static let leastFigures = 3

  /// The unit of a column; octets unless another one, and no plain way to count in octets, fits nine of ten rows.
  ///
  /// A plain way fits also with a constant difference: a line that ends with LF is an octet less, and no share of its octets.
  static func fitted(_ rows: [Row]) -> FigureUnit {
    let telling = rows.filter { $0.figure != 0 }
    guard telling.count >= leastRows, Set(telling.map(\.figure)).count >= leastFigures else { return .octets }
    let ways = rows.map(\.octets.count).min() ?? 0
    for way in 0..<ways where commonDifference(telling, way) * 10 >= telling.count * 9 { return .octets }
    var best: (unit: FigureUnit, fits: Int)?
    for way in 0..<ways {
      for unit in candidates(telling, way) {
        func fits(_ rows: [Row]) -> Int { rows.count { $0.octets[way].map(unit.figure) == $0.figure } }
        let count = fits(rows)
        guard count > best?.fits ?? 0, count * 10 >= rows.count * 9, fits(telling) * 10 >= telling.count * 9 else {
          continue
        }
        best = (unit, count)
      }
    }
    return best?.unit ?? .octets
  }

  /// The number of rows whose figures differ from a way to count by the commonest amount.
  private static func commonDifference(_ rows: [Row], _ way: Int) -> Int {
    var counts: [Int: Int] = [:]
    for row in rows {
      guard let octets = row.octets[way] else { continue }
      counts[row.figure.subtractingReportingOverflow(octets).partialValue, default: 0] += 1
    }
    return counts.values.max() ?? 0
  }

  /// The units that the figures allow, the likeliest first.
  private static func candidates(_ rows: [Row], _ way: Int) -> [FigureUnit] {
    var units = [FigureUnit(numerator: 8)]
    for size in [1000, 1024, 1_000_000, 1 << 20] {
      units += Rounding.allCases.map { FigureUnit(denominator: size, rounding: $0) }
    }
    let divisor = rows.reduce(0) { divisorOf($0, $1.figure) }
    if divisor > 1 {
      for step in [divisor, 10, 16, 32, 50, 64, 100, 128, 256, 500, 512, 1000, 1024, 2048, 4096]
      where divisor % step == 0 {
        units += Rounding.allCases.map { FigureUnit(denominator: step, step: step, rounding: $0) }
      }
    }
    let largest = rows.filter { ($0.octets[way] ?? 0) > 0 && abs($0.figure) < limit }.max {
      ($0.octets[way] ?? 0) < ($1.octets[way] ?? 0)
    }
    if let largest, let octets = largest.octets[way] {
      let ratio = Double(largest.figure) / Double(octets)
      for scale in [1, 10, 100, 1000] where ratio > 0 && ratio < 100 {
        let numerator = Int((ratio * Double(scale)).rounded())
        guard numerator > 0, numerator != scale else { continue }
        units += Rounding.allCases.map {
          FigureUnit(numerator: numerator, denominator: scale, rounding: scale == 1 ? .down : $0)
        }
      }
    }
    return units
  }

  private static func divisorOf(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a.magnitude, b.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    return Int(clamping: a)
  }
}
