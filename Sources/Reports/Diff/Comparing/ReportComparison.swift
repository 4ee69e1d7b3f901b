/// Two reports, API by API.
package struct ReportComparison: Sendable {
  /// The first report, as the user named it.
  package let baseName: String
  /// The second report, as the user named it.
  package let newName: String
  /// Whether APIs have methods.
  package let isByMethod: Bool
  /// The threshold that APIs were held against.
  package let threshold: GrowthThreshold?
  /// The APIs of both, sorted.
  package let apis: [APIComparison]
  /// All APIs together. It is never beyond the threshold, which is one of APIs.
  package let total: APIComparison

  /// Compares two reports.
  ///
  /// - Throws: when they are not of the same things: grouped otherwise, or only one of them with hashed paths.
  package init(
    _ base: ReportedAPIs, _ new: ReportedAPIs, threshold: GrowthThreshold? = nil, order: ComparisonOrder = .ip
  ) throws(ReportReadingError) {
    try Self.check(base, new)
    baseName = base.name
    newName = new.name
    isByMethod = base.isByMethod || new.isByMethod
    self.threshold = threshold
    let keys = Array(base.apis.keys) + new.apis.keys.filter { base.apis[$0] == nil }
    let compared = keys.map { key in
      let api = APIComparison(key, base.apis[key], new.apis[key], threshold)
      return (magnitude: order.magnitude(api), api: api)
    }
    apis = compared.sorted {
      $0.magnitude == $1.magnitude ? $0.api.key.precedes($1.api.key) : $0.magnitude > $1.magnitude
    }.map(\.api)
    total = APIComparison(APIKey(host: [], path: []), Self.sum(base), Self.sum(new), nil)
  }

  /// The APIs that grew beyond the threshold.
  package var beyond: [APIComparison] { apis.filter(\.isBeyond) }

  private static func sum(_ report: ReportedAPIs) -> ReportedAPI {
    var sum = ReportedAPI()
    for api in report.apis.values { sum.figures.add(api.figures) }
    return sum
  }

  private static func check(_ base: ReportedAPIs, _ new: ReportedAPIs) throws(ReportReadingError) {
    let isSameGrouping = base.grouping == new.grouping
    if !isSameGrouping, !base.isOfAnyGrouping, !new.isOfAnyGrouping {
      throw ReportReadingError(
        "\(base.name) is grouped by \(base.grouping) and \(new.name) by \(new.grouping); "
          + "analyze both with the same --group-by")
    }
    if let mine = base.isRedacted, let other = new.isRedacted, mine != other {
      throw ReportReadingError(
        "\((mine ? base : new).name) has hashed paths and \((mine ? new : base).name) has not; "
          + "analyze both with --redact or both without")
    }
  }
}
