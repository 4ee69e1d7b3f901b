import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import MetricsEndpoint

@Suite struct CaptureMetricsTests {
  @Test func everyFigureIsShown() {
    var metrics = CaptureMetrics(version: "1.2.3", grouping: .init(path: true, method: true))
    var snapshot = Snapshot(packets: 5, original: 50, pending: 10)
    snapshot.charge(40, to: .network)
    snapshot.note(.tcpHole)
    snapshot.api("h", "/\"", method: "GET", requests: 2, body: 9, tls: 29, waits: [2_000_000, 300_000_000])
    snapshot.host("h", up: 100, down: 200, handshake: 70)
    var health = CaptureHealth()
    health.connections = 3
    health.delay = 7
    (health.droppedByKernel, health.droppedByInterface, health.droppedByQueue) = (1, 2, 4)
    let page = metrics.update(snapshot.totals, health: health)
    let found = samples(page)
    let api = #"host="h",method="GET","#
    let path = #"path="/\"""#
    let expected = [
      #"sniffer_build_info{version="1.2.3"}"#: 1,
      "sniffer_packets_total": 5, "sniffer_packet_bytes_total": 50, "sniffer_connections": 3,
      "sniffer_analysis_delay_seconds": 7,
      "sniffer_pending_bytes": 10, #"sniffer_dropped_packets_total{where="kernel"}"#: 1,
      #"sniffer_dropped_packets_total{where="interface"}"#: 2, #"sniffer_dropped_packets_total{where="queue"}"#: 4,
      #"sniffer_ledger_bytes_total{class="network"}"#: 40, #"sniffer_ledger_bytes_total{class="body"}"#: 0,
      #"sniffer_tls_bytes_total{part="handshake"}"#: 0, #"sniffer_quic_bytes_total{part="protected"}"#: 0,
      #"sniffer_anomalies_total{name="tcp_hole"}"#: 1, #"sniffer_anomalies_total{name="dns_malformed"}"#: 0,
      "sniffer_api_requests_total{\(api)\(path)}": 2,
      "sniffer_api_bytes_total{direction=\"down\",\(api)part=\"body\",\(path)}": 9,
      "sniffer_api_bytes_total{direction=\"down\",\(api)part=\"tls\",\(path)}": 29,
      "sniffer_api_bytes_total{direction=\"up\",\(api)part=\"overhead\",\(path)}": 0,
      "sniffer_api_errors_total{class=\"4xx\",\(api)\(path)}": 0,
      "sniffer_api_wait_seconds_bucket{\(api.dropLast(13))le=\"0.001\",method=\"GET\",\(path)}": 0,
      "sniffer_api_wait_seconds_bucket{\(api.dropLast(13))le=\"0.005\",method=\"GET\",\(path)}": 1,
      "sniffer_api_wait_seconds_bucket{\(api.dropLast(13))le=\"+Inf\",method=\"GET\",\(path)}": 2,
      "sniffer_api_wait_seconds_count{\(api)\(path)}": 2, "sniffer_http_requests_total": 2,
      #"sniffer_http_bytes_total{direction="down",part="body"}"#: 9, "sniffer_http_wait_seconds_count": 2,
      #"sniffer_host_ip_bytes_total{direction="down",host="h"}"#: 200,
      #"sniffer_host_bytes_total{host="h",part="handshake"}"#: 70,
      "sniffer_apis_labelled": 1, "sniffer_apis_in_other": 0, "sniffer_hosts_labelled": 1, "sniffer_hosts_in_other": 0,
    ]
    for (name, value) in expected { #expect(found[name] == value, "\(name)") }
    #expect(String(decoding: page, as: UTF8.self).contains("sniffer_api_wait_seconds_sum{\(api)\(path)} 0.302\n"))
    #if os(Linux)
      for name in [
        "process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes",
        "process_start_time_seconds", "process_open_fds", "process_max_fds",
      ] { #expect(String(decoding: page, as: UTF8.self).contains("\n\(name) "), "\(name)") }
      #expect(found["process_resident_memory_bytes", default: 0] > 1 << 20)
      #expect((1...100_000).contains(found["process_open_fds", default: 0]))
    #endif
    // For `promtool check metrics`, which looks at what the assertions here do not think of.
    if let path = ProcessInfo.processInfo.environment["SNIFFER_METRICS_PAGE"] {
      #expect(FileManager.default.createFile(atPath: path, contents: Data(page)))
    }
  }

  @Test func theLargestHaveSeries() {
    var metrics = CaptureMetrics(version: "", seriesLimit: 2)
    var first = Snapshot()
    first.api("h", "/small", requests: 1, body: 1)
    first.api("h", "/large", requests: 1, body: 100)
    first.api("h", "/middle", requests: 1, body: 10)
    var found = samples(metrics.update(first.totals, health: CaptureHealth()))
    func requests(_ path: String, _ host: String = "h") -> Int? {
      found["sniffer_api_requests_total{host=\"\(host)\",path=\"\(path)\"}"]
    }
    #expect(requests("/large") == 1)
    #expect(requests("/middle") == 1)
    #expect(requests("/small") == nil)
    #expect(requests("other", "other") == 1)
    #expect(found["sniffer_apis_in_other"] == 1 && found["sniffer_apis_labelled"] == 2)

    // One that is larger by a little takes no place, and one that is much larger does.
    var second = Snapshot()
    second.api("h", "/small", requests: 2, body: 11)
    second.api("h", "/large", requests: 1, body: 100)
    second.api("h", "/middle", requests: 1, body: 10)
    found = samples(metrics.update(second.totals, health: CaptureHealth()))
    #expect(requests("/small") == nil && requests("/middle") == 1 && requests("other", "other") == 2)
    var third = Snapshot()
    third.api("h", "/small", requests: 7, body: 1000)
    third.api("h", "/large", requests: 2, body: 100)
    third.api("h", "/middle", requests: 3, body: 10)
    found = samples(metrics.update(third.totals, health: CaptureHealth()))
    // What it had before, and what came just now for the one that gave way, is in the rest.
    #expect(requests("/small") == 7 && requests("/middle") == nil && requests("/large") == 2)
    #expect(requests("other", "other") == 7 + 2 && found["sniffer_http_requests_total"] == 12)
    // It comes back where it ended, or higher.
    var fourth = Snapshot()
    fourth.api("h", "/small", requests: 7, body: 1000)
    fourth.api("h", "/large", requests: 2, body: 100)
    fourth.api("h", "/middle", requests: 4, body: 5000)
    found = samples(metrics.update(fourth.totals, health: CaptureHealth()))
    #expect(requests("/middle") == 4 && requests("/large") == nil && requests("other", "other") == 10)
  }

  /// However many names come, the page does not grow beyond its limit, and what is called like the rest is in the rest.
  @Test func labelsAreBounded() {
    var metrics = CaptureMetrics(version: "", seriesLimit: 5)
    var most = 0
    for round in 1...20 {
      var snapshot = Snapshot()
      for index in 0..<200 { snapshot.api("h", "/\(round)-\(index)", requests: 1, body: round * 1000 + index) }
      snapshot.api("other", "other", requests: 3, body: 1 << 30)
      let found = samples(metrics.update(snapshot.totals, health: CaptureHealth()))
      most = max(most, found.keys.count { $0.hasPrefix("sniffer_api_requests_total") })
      #expect(found[#"sniffer_api_requests_total{host="other",path="other"}"#, default: 0] >= 3)
    }
    #expect(most == 6)
    var none = CaptureMetrics(version: "", seriesLimit: 0)
    var snapshot = Snapshot()
    snapshot.api("h", "/", requests: 1)
    let found = samples(none.update(snapshot.totals, health: CaptureHealth()))
    #expect(found.keys.count { $0.hasPrefix("sniffer_api_requests_total") } == 1)
  }

  /// APIs that grow at random, and so overtake each other again and again: no counter is ever below where it was seen before, also when
  /// its series were away meanwhile, and what all of them grew by is what the traffic grew by.
  @Test func countersGrowWhileRanksChange() {
    var metrics = CaptureMetrics(version: "", seriesLimit: 4)
    var random = SeededRandom(seed: 22)
    var bodies = Array(repeating: 0, count: 30)
    var highest: [String: Int] = [:]
    var last: [String: Int] = [:]
    var shown: Set<String> = []
    for _ in 0..<400 {
      for index in bodies.indices where Int.random(in: 0..<4, using: &random) == 0 {
        bodies[index] += 1 << Int.random(in: 0...20, using: &random)
      }
      var snapshot = Snapshot()
      for (index, body) in bodies.enumerated() { snapshot.api("h", "/\(index)", requests: body / 100, body: body) }
      let now = samples(metrics.update(snapshot.totals, health: CaptureHealth()))
      for (name, value) in now where name.contains("_total") || name.contains("_bucket") {
        #expect(value >= highest[name, default: 0], "\(name)")
        highest[name] = value
      }
      let own = now.filter { $0.key.hasPrefix(#"sniffer_api_bytes_total{direction="down""#) && $0.key.contains("body") }
      // As Prometheus has it: a series that has just begun grew by nothing.
      let grown = own.reduce(0) { $0 + $1.value - last[$1.key, default: $1.value] }
      let whole = #"sniffer_http_bytes_total{direction="down",part="body"}"#
      if !last.isEmpty { #expect(grown == now[whole, default: 0] - last[whole, default: 0]) }
      shown.formUnion(own.keys)
      last = now
    }
    // They did change their places.
    #expect(shown.count > 10)
  }

  @Test func countersNeverGoBack() {
    var metrics = CaptureMetrics(version: "", seriesLimit: 8)
    var last: [String: Int] = [:]
    var random = SeededRandom(seed: 19)
    for _ in 0..<200 {
      var snapshot = Snapshot(packets: .random(in: 0...100, using: &random))
      var health = CaptureHealth()
      health.droppedByQueue = .random(in: 0...100, using: &random)
      snapshot.charge(.random(in: 0...100, using: &random), to: .opaque)
      for path in 0..<12 where Bool.random(using: &random) {
        snapshot.api("h", "/\(path)", requests: .random(in: 0...9, using: &random))
      }
      let now = samples(metrics.update(snapshot.totals, health: health))
      for (name, value) in last where name.hasPrefix("sniffer_") && name.contains("_total") {
        #expect(now[name, default: -1] >= value, "\(name)")
      }
      last = now
    }
  }

  @Test func namesThatShareLabelsAreSummed() {
    var metrics = CaptureMetrics(version: "") { _, _ in (Array("h".utf8), Array("~".utf8)) }
    var snapshot = Snapshot()
    snapshot.api("a", "/1", requests: 1)
    snapshot.api("b", [0xff], requests: 2)
    let found = samples(metrics.update(snapshot.totals, health: CaptureHealth()))
    #expect(found[#"sniffer_api_requests_total{host="h",path="~"}"#] == 3)
  }

  @Test func aFullPageIsMadeQuickly() {
    var metrics = CaptureMetrics(version: "")
    var snapshot = Snapshot()
    for index in 0..<20_000 {
      snapshot.api("api.example.com", "/resource/\(index)", requests: index, body: index, waits: [Int64(index) * 9999])
    }
    let totals = snapshot.totals
    _ = metrics.update(totals, health: CaptureHealth())
    var page: [UInt8] = []
    let time = ContinuousClock().measure { page = metrics.update(totals, health: CaptureHealth()) }
    print("20,000 APIs, 500 shown: \(page.count) octets in \(time)")
    #expect(page.count < 4 << 20)
  }
}
