/// One API in two reports.
package struct APIComparison: Sendable {
  /// What became of it. Whether it grew or shrank is told by its `ip_bytes`.
  package enum Change: String, Sendable {
    case new
    case vanished
    case grew
    case shrank
    /// As many `ip_bytes`, but something else is different.
    case changed
    case same
  }

  /// The API.
  package let key: APIKey
  /// What became of it.
  package let change: Change
  /// What it was; all zero when it is new.
  package let base: ReportedAPI
  /// What it is; all zero when it has vanished.
  package let new: ReportedAPI
  /// Whether it grew beyond the threshold.
  package let isBeyond: Bool

  init(_ key: APIKey, _ base: ReportedAPI?, _ new: ReportedAPI?, _ threshold: GrowthThreshold?) {
    self.key = key
    self.base = base ?? ReportedAPI()
    self.new = new ?? ReportedAPI()
    let difference = self.new.figures[.ip] - self.base.figures[.ip]
    change =
      if base == nil { .new } else if new == nil { .vanished } else if difference != 0 {
        difference > 0 ? .grew : .shrank
      } else {
        base == new ? .same : .changed
      }
    isBeyond = threshold?.isExceeded(from: self.base.figures, to: self.new.figures) ?? false
  }

  /// New minus base.
  package func difference(_ column: APIColumn) -> Int { new.figures[column] - base.figures[column] }

  /// New minus base.
  package func difference(_ sum: APISum) -> Int { new.figures[sum] - base.figures[sum] }

  /// New minus base in nanoseconds; nil unless both are known.
  package func difference(_ wait: KeyPath<ReportedAPI, Int64?>) -> Int64? {
    guard let old = base[keyPath: wait], let new = new[keyPath: wait] else { return nil }
    return new - old
  }

  /// New minus base of `ip_bytes` by request, in thousandths of an octet; nil unless both have requests.
  package var perRequestDifference: Int? {
    guard let old = base.figures.thousandthsPerRequest, let new = new.figures.thousandthsPerRequest else { return nil }
    return new - old
  }
}

extension APICounts {
  /// `ip_bytes` by request, in thousandths of an octet, rounded to the nearest; nil without requests.
  package var thousandthsPerRequest: Int? {
    let requests = self[.requests]
    return requests > 0 ? (self[.ip] * 1000 + requests / 2) / requests : nil
  }
}
