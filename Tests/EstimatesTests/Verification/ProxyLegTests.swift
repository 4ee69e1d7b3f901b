import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// A capture with both sides of a proxy: the log is held against one of them.
@Suite struct ProxyLegTests {
  private struct Capture {
    var wire: [WireMessage] = []
    private var exchange = 0

    /// Adds an exchange from `client` to `server`, from `start` to `end` in milliseconds.
    mutating func add(
      _ client: UInt64, _ server: UInt64, _ path: String, _ start: Int64, _ end: Int64, header: Int,
      host: String = "a.example"
    ) {
      exchange += 1
      for kind in [MessageKind.request, .response] {
        var row = Message()
        row.number = wire.count + 1
        row.exchange = exchange
        row.connection = exchange
        row.kind = kind
        row.client = Endpoint(address: IPAddress(high: 0, low: client), port: 50_000)
        row.server = Endpoint(address: IPAddress(high: 0, low: server), port: 80)
        row.firstTime = (kind == .request ? start : end) * 1_000_000
        row.lastTime = row.firstTime
        row.status = kind == .request ? 0 : 200
        row.pairing = .exact
        row.octets.startLine = 20
        row.octets.header = header
        var message = WireMessage(row: row)
        message.host = host
        message.path = path
        message.method = "GET"
        wire.append(message)
      }
    }
  }

  private func log(_ paths: [(path: String, time: Int64)], header: Int) -> AppLog {
    var entries: [LogEntry] = []
    for (index, row) in paths.enumerated() {
      var entry = LogEntry(
        row: index + 2, kind: .request, host: "a.example", path: row.path, time: row.time * 1_000_000)
      (entry.method, entry.lineLength, entry.headerLength, entry.bodyLength) = ("GET", 20, header, 0)
      entries.append(entry)
    }
    return AppLog(dialect: .monitor, entries: entries)
  }

  /// Client 1, proxy 2, server 3. The proxy adds a field of 10 octets.
  private func proxied(host: String = "a.example", client: UInt64 = 1, proxy: UInt64 = 2) -> Capture {
    var capture = Capture()
    for number in 0..<12 {
      let start = Int64(number) * 1000
      capture.add(client, proxy, "/\(number)", start, start + 50, header: 100)
      capture.add(2, 3, "/\(number)", start + 10, start + 40, header: 110, host: host)
    }
    return capture
  }

  private let paths = (0..<12).map { (path: "/\($0)", time: Int64($0) * 1000) }

  @Test("the side that fits is taken, and the other is in no figure")
  func fits() throws {
    for (header, side) in [(100, ProxyLeg.client), (110, .server)] {
      let verification = Verification.comparing(log(paths, header: header), proxied().wire)
      let leg = try #require(verification.leg)
      #expect(leg.leg == side && !leg.isChosen && leg.leftOut == 24)
      let summary = VerificationSummary(verification)
      #expect(summary.matched.count == 12 && summary.exactRows == 12 && summary.unexplained == 0)
      #expect(summary.wireOnly.count == 12, "the responses of this side alone")
    }
  }

  @Test("a side can be chosen")
  func chosen() throws {
    let verification = Verification.comparing(log(paths, header: 100), proxied().wire, leg: .server)
    let leg = try #require(verification.leg)
    #expect(leg.leg == .server && leg.isChosen)
    #expect(VerificationSummary(verification).matched.difference == -120)
  }

  @Test("a proxy may name another host, or be on the client's machine under one name")
  func otherAddresses() throws {
    #expect(Verification.comparing(log(paths, header: 100), proxied(host: "b.internal").wire).leg?.leg == .client)
    #expect(Verification.comparing(log(paths, header: 110), proxied(client: 2, proxy: 2).wire).leg?.leg == .server)
  }

  @Test("an app that asks two servers for the same has no proxy, nor have two clients one after the other")
  func noProxy() {
    var twice = Capture()
    var apart = Capture()
    for number in 0..<12 {
      let start = Int64(number) * 1000
      twice.add(1, 2, "/\(number)", start, start + 50, header: 100)
      twice.add(1, 3, "/\(number)", start + 10, start + 40, header: 100)
      apart.add(1, 2, "/\(number)", start, start + 50, header: 100)
      apart.add(2, 3, "/\(number)", start + 100, start + 140, header: 100)
    }
    for capture in [twice, apart] {
      #expect(ProxyLegs(capture.wire).isEmpty)
      #expect(Verification.comparing(log(paths, header: 100), capture.wire, leg: .server).leg == nil)
    }
  }
}
