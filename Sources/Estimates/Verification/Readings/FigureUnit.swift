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
  /// Another unit of people that fits as many figures.
  private(set) var rival: Rival?

  /// A unit of so many octets.
  struct Rival: Hashable, Sendable {
    var size: Int
    var rounding: Rounding
  }

  /// Octets.
  static let octets = FigureUnit()
  /// The characters of Base64 (RFC 4648 §4): four for each three octets that are begun.
  static let base64 = FigureUnit(denominator: 3, step: 4, rounding: .up)

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

  /// Whether short figures become 0, or lose most of their digits.
  var isLarge: Bool { denominator >= 100 * numerator }

  /// Whether it scales octets, and by no power that people use.
  var isScale: Bool { denominator != 1 && step == 1 && !(numerator == 1 && Self.powers.contains(denominator)) }

  /// The parts of octets that people count.
  private static let powers: Set = [10, 100, 1_000, 1_000_000, 1 << 10, 1 << 20]

  /// The unit in words, as in "kB, rounded down". Where the figures do not tell two units apart, it is "kB, rounded, or KiB, rounded up".
  var words: String {
    rival.map { "\(ownWords), or \(FigureUnit(denominator: $0.size, rounding: $0.rounding).ownWords)" } ?? ownWords
  }

  private var ownWords: String {
    let direction =
      switch rounding {
      case .down: "rounded down"
      case .nearest, .even: "rounded"
      case .up: "rounded up"
      }
    if self == FigureUnit(numerator: 8) { return "bits" }
    if self == .base64 { return "Base64" }
    if step > 1 { return "\(direction) to multiples of \(step) bytes" }
    if numerator == 1 {
      switch denominator {
      case 1000: return "kB, \(direction)"
      case 1024: return "KiB, \(direction)"
      case 1_000_000: return "MB, \(direction)"
      case 1 << 20: return "MiB, \(direction)"
      default: return "units of \(denominator) bytes, \(direction)"
      }
    }
    if denominator == 1 { return "\(numerator) times the bytes" }
    guard let scale = [10, 100, 1000].first(where: { $0 % denominator == 0 }) else {
      return "bytes times \(numerator)/\(denominator), \(direction)"
    }
    let scaled = numerator * (scale / denominator)
    let part = String(String(scale + scaled % scale).dropFirst())
    return "bytes times \(scaled / scale).\(part), \(direction)"
  }

  // MARK: Fitting

  /// The fewest rows with a figure beside 0, and the fewest different figures, that tell a unit.
  private static let leastRows = 5
  private static let leastFigures = 3
  /// The number of rows with a figure beside 0 that are no coincidence where a unit fits four in five.
  private static let manyRows = 40
  /// The number of rows whose ratio is tried.
  private static let ratioRows = 5
  /// The steps that people round to.
  private static let steps = [10, 16, 32, 50, 64, 100, 128, 256, 500, 512, 1000, 1024, 2048, 4096]

  /// The unit of a column; octets unless another one, and no plain way to count in octets, fits nine of ten rows.
  ///
  /// A plain way fits also with a constant difference: a line that ends with LF is an octet less, and no share of its octets.
  ///
  /// - Parameters:
  ///   - figures: The column.
  ///   - ways: The number of plain ways to count.
  ///   - shared: Units of other columns. They go before a constant difference.
  ///   - octets: The octets of each row by a way; nil where it does not apply.
  /// - Returns: The unit.
  static func fitted(
    _ figures: [Int], ways: Int, shared: [FigureUnit] = [], octets: (_ way: Int) -> [Int?]
  ) -> FigureUnit {
    let telling = figures.indices.filter { figures[$0] != 0 }
    var best: (unit: FigureUnit, fits: Int)?
    func weigh(_ unit: FigureUnit, _ way: [Int?]) {
      func fits(_ row: Int) -> Bool { way[row].map(unit.figure) == figures[row] }
      let count = figures.indices.count { fits($0) }
      guard count > best?.fits ?? 0, count * 10 >= figures.count * 9 else { return }
      let told = telling.count { fits($0) }
      // Where a unit of another column leaves 0 of nearly all figures, the others may be errors.
      let isRest = !shared.isEmpty && telling.count * 20 < figures.count
      guard isRest || told * 10 >= telling.count * 9 || told >= manyRows && told * 5 >= telling.count * 4 else {
        return
      }
      best = (unit, count)
    }
    if !shared.isEmpty {
      let plain = octets(0)
      weigh(.octets, plain)
      for unit in shared { weigh(unit, plain) }
      if let best { return best.unit }
    }
    guard telling.count >= leastRows, Set(telling.map { figures[$0] }).count >= leastFigures else { return .octets }
    var columns: [[Int?]] = []
    for way in 0..<ways {
      let column = octets(way)
      if commonDifference(figures, telling, column) * 10 >= telling.count * 9 { return .octets }
      columns.append(column)
    }
    var way: [Int?] = []
    for column in columns {
      let fits = best?.fits
      for unit in candidates(figures, telling, column) { weigh(unit, column) }
      if best?.fits != fits { way = column }
    }
    return best.map { $0.unit.withRival(figures, way, fits: $0.fits) } ?? .octets
  }

  /// The units of people, in octets.
  private static let sizes = [1000, 1024, 1_000_000, 1 << 20]

  /// The unit with another one of people in other words that fits as many figures, if it is one itself.
  private func withRival(_ figures: [Int], _ way: [Int?], fits: Int) -> FigureUnit {
    guard numerator == 1, step == 1, Self.sizes.contains(denominator) else { return self }
    var unit = self
    for size in Self.sizes where unit.rival == nil {
      let rival = Rounding.allCases.map { FigureUnit(denominator: size, rounding: $0) }.first { other in
        other.words != words && figures.indices.count { way[$0].map(other.figure) == figures[$0] } == fits
      }
      unit.rival = rival.map { Rival(size: size, rounding: $0.rounding) }
    }
    return unit
  }

  /// The number of rows whose figures differ from a way to count by the commonest amount.
  private static func commonDifference(_ figures: [Int], _ rows: [Int], _ octets: [Int?]) -> Int {
    var counts: [Int: Int] = [:]
    for row in rows {
      guard let octets = octets[row] else { continue }
      counts[figures[row].subtractingReportingOverflow(octets).partialValue, default: 0] += 1
    }
    return counts.values.max() ?? 0
  }

  /// The units that the figures allow, the likeliest first.
  private static func candidates(_ figures: [Int], _ rows: [Int], _ octets: [Int?]) -> [FigureUnit] {
    var units = [FigureUnit(numerator: 8), .base64]
    for size in sizes {
      units += Rounding.allCases.map { FigureUnit(denominator: size, rounding: $0) }
    }
    let divisor = rows.reduce(0) { divisorOf($0, figures[$1]) }
    let common = steps.filter { step in rows.count { figures[$0] % step == 0 } * 10 >= rows.count * 9 }
    for step in common + (divisor > 1 && !common.contains(divisor) ? [divisor] : []) {
      units += Rounding.allCases.map { FigureUnit(denominator: step, step: step, rounding: $0) }
    }
    let bounds = 1..<limit
    let ratios = rows.filter { bounds.contains(octets[$0] ?? 0) && bounds.contains(figures[$0]) }
    for row in ratios.sorted(by: { (octets[$0] ?? 0, $1) > (octets[$1] ?? 0, $0) }).prefix(ratioRows) {
      guard let octets = octets[row], figures[row] / 100 <= octets, octets / 100 <= figures[row] else { continue }
      for scale in [1, 10, 100, 1000] {
        let numerator = Int((Double(figures[row]) / Double(octets) * Double(scale)).rounded())
        guard numerator > 0, numerator != scale else { continue }
        units += Rounding.allCases.map {
          FigureUnit(numerator: numerator, denominator: scale, rounding: scale == 1 ? .down : $0)
        }
      }
      units += Rounding.allCases.compactMap { ratio(figures[row], octets, $0) }
    }
    var seen: Set<FigureUnit> = []
    return units.filter { seen.insert($0).inserted }
  }

  /// The simplest share of the octets that a figure allows; nil where it is the octets themselves, or not simple.
  private static func ratio(_ figure: Int, _ octets: Int, _ rounding: Rounding) -> FigureUnit? {
    // Twice the bounds of the share before it was rounded, in parts of twice the octets.
    let (low, high) =
      switch rounding {
      case .down: (2 * figure, 2 * figure + 2)
      case .nearest, .even: (2 * figure - 1, 2 * figure + 1)
      case .up: (2 * figure - 2, 2 * figure)
      }
    // The fraction with the least denominator between two others (Stern–Brocot), in steps as large as possible.
    func simplest(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ depth: Int) -> (Int, Int)? {
      guard b > 0, d > 0, depth < 40 else { return nil }
      let whole = a / b
      if whole * b == a { return (whole, 1) }
      if (whole + 1) * d <= c { return (whole + 1, 1) }
      guard let (p, q) = simplest(d, c - whole * d, b, a - whole * b, depth + 1) else { return nil }
      let (product, overflows) = whole.multipliedReportingOverflow(by: p)
      return overflows ? nil : (product + q, p)
    }
    guard let (numerator, denominator) = simplest(low, 2 * octets, high, 2 * octets, 0), numerator > 0,
      numerator != denominator, numerator < simple, denominator < simple
    else { return nil }
    return FigureUnit(numerator: numerator, denominator: denominator, rounding: rounding)
  }

  /// The bound of the terms of a simple fraction.
  private static let simple = 10_000

  private static func divisorOf(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a.magnitude, b.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    return Int(clamping: a)
  }
}
