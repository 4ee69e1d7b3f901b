import HTTPReassembly
import Testing

@testable import Estimates

/// Redirections to one target: where several are under way at once, nothing tells which request followed which.
@Suite struct SharedChainTests {
  /// Redirections to one target, each on a connection of its own, so many milliseconds apart, and the requests for the target 40 ms
  /// later.
  private func wire(every step: Int64) -> [WireMessage] {
    var exchanges: [(at: Int64, body: Int)] = []
    for number in 0..<4 {
      let start = Int64(number) * step
      exchanges += [(start, 0), (start + 40, 100 + number * 31)]
    }
    var wire = PollSamples.wire(exchanges)
    for index in wire.indices {
      let isHop = index % 4 < 2
      wire[index].path = isHop ? "/from" : "/to"
      if wire[index].row.kind == .request {
        wire[index].startLine = Array("GET \(wire[index].path) HTTP/1.1".utf8)
      } else if isHop {
        wire[index].row.status = 302
        wire[index].startLine = Array("HTTP/1.1 302 Found".utf8)
        wire[index].fields = [WireField(name: Array("location".utf8), value: Array("/to".utf8))]
      }
    }
    return wire
  }

  /// A row for each chain: its first request, and its last answer.
  private func log(_ wire: [WireMessage]) -> [LogEntry] {
    let entries = PollSamples.log(wire)
    return stride(from: 0, to: entries.count, by: 4).flatMap { index in
      var last = entries[index + 3]
      (last.exchange, last.path, last.time) = (entries[index].exchange, "/from", entries[index].time)
      return [entries[index], last]
    }
  }

  @Test(arguments: [(2_000, false), (3, true)] as [(Int64, Bool)])
  func chainsAtOnceAreAmbiguous(_ step: Int64, _ isShared: Bool) {
    let wire = wire(every: step)
    let rows = PollSamples.verify(log(wire), wire).rows.filter { $0.entry != nil && $0.message != nil }
    #expect(rows.count == 8 && rows.allSatisfy { $0.isAmbiguous == isShared })
  }
}
