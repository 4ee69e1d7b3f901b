/// Series of the rows (APIs, hosts) with the most octets; all others are summed under `other`.
///
/// Clients choose the names, so the number of series has to be bounded. Up to `limit` rows have their own series. Beyond, a row takes
/// the place of the least one if it has more octets, by an eighth or more. So the largest rows are always there, and rows of about one
/// size do not take turns. The number of series that a run ever shows grows at most with the logarithm of the traffic.
///
/// No counter goes back. A row's series are the row's whole totals: after it gave way and comes back, they are as high as before or
/// higher. `other` counts the traffic of rows while they have no series. It keeps a row's earlier traffic when the row gets its own
/// series. So rates add up to the whole, and values add up as long as no row changed its place. The whole has its own metrics.
struct RankedSeries {
  /// The octets of a row's name: a snapshot's handles mean nothing in the next one.
  struct Name: Hashable {
    var parts: [[UInt8]]
  }

  /// The rows of a snapshot.
  struct Rows {
    /// The number of rows.
    let count: Int
    /// The name of a row; nil for a row that never gets its own series.
    let name: (Int) -> Name?
    /// The octets of a row, by which rows are ranked.
    let octets: (Int) -> Int
    /// Adds the figures of a row to others.
    let add: (Int, inout [Int]) -> Void
  }

  /// Rows with the same labels, which share series: mostly one row.
  private struct Place {
    var members: [Name]
    let labels: String
    let heads: [[UInt8]]
    var now: [Int]
    var previous: [Int]
    var highest: HighestFigures
    var octets = 0
  }

  private let limit: Int
  private let figures: SeriesFigures
  private let labels: (Name) -> [(String, String)]
  private let otherLabels: String
  private var places: [Place] = []
  private var positions: [Name: Int] = [:]
  /// For each figure, the sum that rows had when they got their series, less the sum that they had when they gave them up.
  private var carried: [Int]
  private var other: HighestFigures
  private let otherHeads: [[UInt8]]
  private var hasOther = false
  /// The last figures of rows that gave way, and the order in which they did.
  private var ended: [Name: HighestFigures] = [:]
  private var endedOrder: [Name] = []

  /// The number of rows with their own series.
  var count: Int { positions.count }
  /// The number of rows of the last snapshot without their own series.
  private(set) var otherCount = 0
  /// The figures of all rows of the last snapshot together.
  private(set) var whole: [Int]

  /// Starts without series. `labels` gives the labels of a row.
  init(
    limit: Int, figures: SeriesFigures, otherLabels: [(String, String)],
    labels: @escaping (Name) -> [(String, String)]
  ) {
    self.limit = max(limit, 0)
    self.figures = figures
    self.labels = labels
    self.otherLabels = ExpositionText.labels(otherLabels)
    carried = Array(repeating: 0, count: figures.count)
    whole = carried
    other = HighestFigures(count: figures.count)
    otherHeads = Self.heads(figures, otherLabels)
  }

  /// Takes a snapshot of all rows.
  mutating func update(_ rows: Rows) {
    for index in places.indices {
      places[index].now = Array(repeating: 0, count: figures.count)
      places[index].octets = 0
    }
    var rest = Array(repeating: 0, count: figures.count)
    var candidates: [(row: Int, octets: Int)] = []
    otherCount = 0
    for row in 0..<rows.count {
      let name = rows.name(row)
      if let name, let position = positions[name] {
        rows.add(row, &places[position].now)
        places[position].octets += rows.octets(row)
      } else {
        rows.add(row, &rest)
        otherCount += 1
        if name != nil, limit > 0 { candidates.append((row, rows.octets(row))) }
      }
    }
    admit(candidates, rows, &rest)
    if otherCount > 0 { hasOther = true }
    whole = rest
    for place in places { for index in whole.indices { whole[index] &+= place.now[index] } }
    for index in places.indices {
      places[index].highest.follow(places[index].now, figures.cumulative)
      places[index].previous = places[index].now
    }
    other.follow(zip(rest, carried).map { $0 + $1 }, figures.cumulative)
  }

  // MARK: Places

  /// Gives rows their own series if there is room, or if they are larger than a row that has some.
  private mutating func admit(_ candidates: [(row: Int, octets: Int)], _ rows: Rows, _ rest: inout [Int]) {
    guard !candidates.isEmpty else { return }
    // No more rows than these can get a place.
    let ranked = candidates.sorted { ($0.octets, $1.row) > ($1.octets, $0.row) }.prefix(limit)
    // Several rows in one place stay: a row that left would take its figures out of the shared series.
    var least = places.indices.filter { places[$0].members.count == 1 }.sorted { places[$0].octets > places[$1].octets }
    for candidate in ranked {
      guard let name = rows.name(candidate.row) else { continue }
      var position: Int?
      if places.count >= limit {
        guard let last = least.last, candidate.octets > places[last].octets + places[last].octets / 8 else { return }
        position = last
      }
      let labels = labels(name)
      let key = ExpositionText.labels(labels)
      // A row with the labels of the rest is in the rest.
      if key == otherLabels { continue }
      var own = Array(repeating: 0, count: figures.count)
      rows.add(candidate.row, &own)
      let shared = places.firstIndex { $0.labels == key }
      // A row with the labels of a place shares it, and takes no other place.
      if shared == nil, let position {
        giveUp(position, &rest)
        least.removeLast()
      }
      for index in own.indices {
        rest[index] -= own[index]
        // While there was room, no row waited for a place, so the rest has none of its figures.
        if position != nil { carried[index] += own[index] }
      }
      otherCount -= 1
      if let shared {
        places[shared].members.append(name)
        for index in own.indices { places[shared].now[index] += own[index] }
        places[shared].octets += candidate.octets
        positions[name] = shared
        least.removeAll { $0 == shared }
        continue
      }
      let place = Place(
        members: [name], labels: key, heads: Self.heads(figures, labels), now: own, previous: own,
        highest: ended.removeValue(forKey: name) ?? HighestFigures(count: figures.count), octets: candidate.octets)
      if let position {
        places[position] = place
        positions[name] = position
      } else {
        positions[name] = places.count
        places.append(place)
      }
    }
  }

  /// Takes the series away from the only row of a place.
  private mutating func giveUp(_ position: Int, _ rest: inout [Int]) {
    let place = places[position]
    for name in place.members {
      positions[name] = nil
      if ended.updateValue(place.highest, forKey: name) == nil { endedOrder.append(name) }
    }
    for index in rest.indices {
      rest[index] += place.now[index]
      carried[index] -= min(place.previous[index], place.now[index])
    }
    otherCount += place.members.count
    // Memory must not grow with the number of names ever seen.
    if endedOrder.count > 4 * limit {
      for name in endedOrder.prefix(endedOrder.count - 2 * limit) { ended[name] = nil }
      endedOrder.removeFirst(endedOrder.count - 2 * limit)
    }
  }

  // MARK: The page

  /// Appends all lines as they are now.
  func append(to page: inout [UInt8]) {
    for family in figures.families where !places.isEmpty || hasOther {
      Self.appendHead(of: family, to: &page)
      for place in places { Self.append(family, place.heads, place.highest.values, to: &page) }
      if hasOther { Self.append(family, otherHeads, other.values, to: &page) }
    }
  }

  /// Appends the lines of a metric of one row.
  static func append(_ family: SeriesFigures.Family, _ heads: [[UInt8]], _ values: [Int], to page: inout [UInt8]) {
    for line in family.lines {
      let value = values[line.figure]
      page += heads[line.head]
      page += line.isNanoseconds ? Array(ExpositionText.number(Double(value) / 1e9).utf8) : Array(String(value).utf8)
      page.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends the HELP and TYPE lines of a metric.
  static func appendHead(of family: SeriesFigures.Family, to page: inout [UInt8]) {
    page += "# HELP \(family.name) \(ExpositionText.help(family.help))\n# TYPE \(family.name) \(family.type)\n".utf8
  }

  /// Each line of a row up to its value. It is kept, since a page is made each second and only the digits change.
  static func heads(_ figures: SeriesFigures, _ labels: [(String, String)]) -> [[UInt8]] {
    figures.families.flatMap { family in
      family.lines.map { line in
        Array("\(line.family)\(line.suffix)\(ExpositionText.labels(labels + line.labels)) ".utf8)
      }
    }
  }
}
