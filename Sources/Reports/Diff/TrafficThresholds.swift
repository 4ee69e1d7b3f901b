import Tabular

/// The thresholds of a comparison: of APIs, of hosts, of all traffic, and of waiting times.
package struct TrafficThresholds: Sendable {
  /// The growth of an API's octets; nil for any.
  package var apis: GrowthThreshold?
  /// The growth of the octets of a host's connections, as a share; nil for any.
  package var hosts: Proportion?
  /// The growth of the octets of all connections, as a share; nil for any.
  package var total: Proportion?
  /// The growth of the 95th percentile of an API's wait phase, as a share; nil for any.
  package var p95: Proportion?
  /// Octets that a host or the total must grow by in addition.
  package var octets: Int

  /// Thresholds; all are nil by default.
  package init(
    apis: GrowthThreshold? = nil, hosts: Proportion? = nil, total: Proportion? = nil, p95: Proportion? = nil,
    octets: Int = 0
  ) {
    (self.apis, self.hosts, self.total, self.p95, self.octets) = (apis, hosts, total, p95, octets)
  }

  /// Whether a threshold is about single APIs.
  package var areOfAPIs: Bool { apis != nil || p95 != nil }
  /// Whether a threshold is about whole connections, opened or not.
  package var areOfConnections: Bool { hosts != nil || total != nil }

  /// Whether a figure of connections grew beyond a share of its base, and by more than `octets`.
  func isExceeded(from base: Int, to new: Int, _ share: Proportion) -> Bool {
    new - base > octets && share.isExceeded(by: Int128(new - base), of: Int128(base))
  }

  /// Whether the wait of an API grew beyond its threshold. Where one side is unknown, it did not.
  func isSlower(from base: Int64?, to new: Int64?) -> Bool {
    guard let p95, let base, let new else { return false }
    return p95.isExceeded(by: Int128(new - base), of: Int128(base))
  }
}

/// A host in two reports that grew beyond the threshold.
package struct HostComparison: Sendable {
  /// The name, escaped.
  let name: String
  /// Octets of its connections in the first report.
  let base: Int
  /// The same in the second report.
  let new: Int

  /// The growth in words.
  var text: String {
    "\(name): \(Numerals.grouped(base)) → \(Numerals.grouped(new)) bytes (\(Numerals.signed(new - base)))"
  }
}

extension ReportComparison {
  /// The reasons why the comparison says little or nothing, a line each.
  static func gaps(_ base: ReportedAPIs, _ new: ReportedAPIs, _ thresholds: TrafficThresholds) -> [String] {
    var gaps: [String] = []
    for (side, report, other) in [("base", base, new), ("new", new, base)] {
      let hasAPIs = report.apis.keys.contains { !$0.isUnknown }
      let closed = report.allHosts.unopened
      let read = report.apis.values.reduce(0) { $0 + $1.figures[.ip] }
      let opens = "--keys FILE opens it"
      if !hasAPIs {
        gaps.append(
          "\(side): no HTTP message was counted"
            + (closed > 0 ? "; \(Numerals.grouped(closed)) bytes are closed TLS or QUIC: \(opens)" : ""))
      } else if closed > read {
        gaps.append("\(side): most is closed TLS or QUIC, \(Numerals.grouped(closed)) bytes: \(opens)")
      } else if let names = hostsThatHide(other, from: report) {
        gaps.append("\(side): APIs of \(names) are missing, where closed TLS or QUIC may hide them: \(opens)")
      }
      if thresholds.areOfConnections, report.hosts == nil {
        gaps.append("\(side): there is no table of hosts to check --threshold-total and --threshold-hosts with")
      }
    }
    return gaps
  }

  /// The hosts with octets in `report` that were not opened, and with APIs that only `other` has, in words; nil without any.
  private static func hostsThatHide(_ other: ReportedAPIs, from report: ReportedAPIs) -> String? {
    guard let hosts = report.hosts else { return nil }
    var names = Set<[UInt8]>()
    for key in other.apis.keys where report.apis[key] == nil && hosts[key.host]?.unopened ?? 0 > 0 {
      names.insert(key.host)
    }
    let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }.prefix(4).map { TextEscaping.string($0) }
    guard !sorted.isEmpty else { return nil }
    let shown = sorted.prefix(names.count > 4 ? 3 : 4).joined(separator: ", ")
    return shown + (names.count > 4 ? " and \(Numerals.grouped(names.count - 3)) more hosts" : "")
  }

  /// The hosts that grew beyond the threshold, most growth first.
  static func beyondHosts(
    _ base: ReportedAPIs, _ new: ReportedAPIs, _ thresholds: TrafficThresholds
  ) -> [HostComparison] {
    guard let share = thresholds.hosts, let old = base.hosts, let hosts = new.hosts else { return [] }
    return hosts.compactMap { name, host in
      let before = old[name]?.ip ?? 0
      guard thresholds.isExceeded(from: before, to: host.ip, share) else { return nil }
      return HostComparison(
        name: name.isEmpty ? "(unknown)" : TextEscaping.string(name), base: before, new: host.ip)
    }.sorted { a, b in
      a.new - a.base == b.new - b.base ? a.name < b.name : a.new - a.base > b.new - b.base
    }
  }
}
