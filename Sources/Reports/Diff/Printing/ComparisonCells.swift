/// What people are shown of a comparison: which APIs, and the cells of each but its name.
struct ComparisonCells {
  /// The titles of the cells.
  static let titles = [
    "base", "new", "change", "%", "requests", "per request", "header", "body", "errors", "p95 ms",
  ]
  /// APIs beyond the threshold are shown all, up to this many: GitHub takes comments of 65,536 characters.
  private static let beyondLimit = 200

  /// The APIs that are shown, in the order of the comparison.
  let shown: [APIComparison]
  /// How many that differ are not shown.
  let hidden: Int

  init(_ comparison: ReportComparison, limit: Int) {
    let different = comparison.apis.filter { $0.change != .same }
    var shown: [APIComparison] = []
    var beyond = 0
    for (index, api) in different.enumerated() {
      if api.isBeyond { beyond += 1 }
      if index < limit || api.isBeyond && beyond <= Self.beyondLimit { shown.append(api) }
    }
    self.shown = shown
    hidden = different.count - shown.count
  }

  /// The cells under `titles`: `ip_bytes` before and after, and differences.
  static func cells(_ api: APIComparison) -> [String] {
    let (old, new) = (api.base.figures[.ip], api.new.figures[.ip])
    return [
      Summary.grouped(old), Summary.grouped(new), ModelErrorTable.signed(new - old), share(api),
      ModelErrorTable.signed(api.difference(APIColumn.requests)),
      api.perRequestDifference.map { ModelErrorTable.mean($0, of: 1000) } ?? "",
      ModelErrorTable.signed(api.difference(APISum.header)), ModelErrorTable.signed(api.difference(APISum.body)),
      ModelErrorTable.signed(api.difference(APISum.errors)),
      api.difference(\.waitP95).map { ModelErrorTable.mean(Int($0), of: 1_000_000) } ?? "",
    ]
  }

  /// What changed in percent, or that there is nothing to compare it with.
  static func share(_ api: APIComparison) -> String {
    switch api.change {
    case .new: "new"
    case .vanished: "gone"
    default: ModelErrorTable.signedPercent(api.difference(APISum.ip), of: api.base.figures[.ip])
    }
  }

  /// What the threshold says; nil without one.
  static func verdict(_ comparison: ReportComparison) -> String? {
    guard let threshold = comparison.threshold else { return nil }
    let count = comparison.beyond.count
    let apis = count == 1 ? "1 API" : "\(Summary.grouped(count)) APIs"
    return (count == 0 ? "nothing" : apis) + " grew beyond \(threshold.text)"
  }

  /// How many APIs are new and have vanished.
  static func census(_ comparison: ReportComparison) -> String {
    func count(_ change: APIComparison.Change) -> String {
      Summary.grouped(comparison.apis.count { $0.change == change })
    }
    return "\(count(.new)) new, \(count(.vanished)) gone, \(count(.grew)) grew, \(count(.shrank)) shrank"
  }
}
