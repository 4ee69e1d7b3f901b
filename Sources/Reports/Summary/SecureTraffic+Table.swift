import HTTPReassembly
import Tabular

extension SecureTraffic {
  /// The cost of each host, as a table of at most `limit` rows and the rest.
  func lines(width: Int, colour: Bool, limit: Int) -> [String] {
    var table = TextTable(columns: [
      .init(title: "closed host", isRight: false, minimum: min(max(width * 2 / 5, 12), 32)),
      .init(title: "connections", importance: 1), .init(title: "up", importance: 2),
      .init(title: "down", importance: 3), .init(title: "total"), .init(title: "time", importance: 0),
    ])
    func add(_ name: String, _ hosts: some Collection<SecureHostTotals>, _ style: Style) {
      let (up, down) = hosts.reduce((0, 0)) { ($0.0 + $1.up, $0.1 + $1.down) }
      let spans = hosts.compactMap(\.span)
      let span = spans.first.map { first in
        spans.reduce(first) { min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound) }
      }
      let cells = [hosts.reduce(0) { $0 + $1.connections }, up, down, up + down].map { Numerals.grouped($0) }
      table.rows.append(([name] + cells + [span.map(RunFacts.duration) ?? ""], style))
    }
    for host in hosts.prefix(limit) {
      let name = redaction?.host(host.serverName) ?? host.serverName
      add(host.serverName.isEmpty ? "(unknown)" : TextEscaping.string(name), [host], .plain)
    }
    let rest = hosts.dropFirst(limit)
    if !rest.isEmpty { add("… and \(Numerals.grouped(rest.count)) more", rest, .faint) }
    add("total", hosts, .heading)
    return table.lines(width: width, colour: colour)
  }
}
