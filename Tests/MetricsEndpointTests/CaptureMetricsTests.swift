import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import MetricsEndpoint

@Suite struct CaptureMetricsTests {
  @Test func everyFigureIsShown() {
    var metrics = CaptureMetrics(grouping: .init(path: true, method: true))
    var snapshot = Snapshot(packets: 5, original: 50, pending: 10)
    snapshot.charge(40, to: .network)
    snapshot.note(.tcpHole)
    snapshot.api("h", "/\"", method: "GET", requests: 2, body: 9)
    var health = CaptureHealth()
    health.connections = 3
    health.delay = 7
    (health.droppedByKernel, health.droppedByInterface, health.droppedByQueue) = (1, 2, 4)
    let page = metrics.update(snapshot.totals, health: health)
    let found = samples(page)
    let api = #"host="h",method="GET","#
    let expected = [
      "sniffer_packets_total": 5, "sniffer_packet_octets_total": 50, "sniffer_connections": 3,
      "sniffer_analysis_delay_seconds": 7,
      "sniffer_pending_octets": 10, #"sniffer_dropped_packets_total{where="kernel"}"#: 1,
      #"sniffer_dropped_packets_total{where="interface"}"#: 2, #"sniffer_dropped_packets_total{where="queue"}"#: 4,
      #"sniffer_octets_total{class="network"}"#: 40, #"sniffer_octets_total{class="body"}"#: 0,
      #"sniffer_anomalies_total{name="tcp_hole"}"#: 1, #"sniffer_anomalies_total{name="dns_malformed"}"#: 0,
      "sniffer_api_requests_total{\(api)path=\"/\\\"\"}": 2,
      "sniffer_api_octets_total{direction=\"down\",\(api)part=\"body\",path=\"/\\\"\"}": 9,
      "sniffer_api_octets_total{direction=\"up\",\(api)part=\"overhead\",path=\"/\\\"\"}": 0,
      "sniffer_api_errors_total{class=\"4xx\",\(api)path=\"/\\\"\"}": 0,
      "sniffer_apis_labelled": 1, "sniffer_apis_in_other": 0,
    ]
    for (name, value) in expected { #expect(found[name] == value, "\(name)") }
    #expect(found.count == 5 + 3 + 2 + 2 + 18 + OctetClass.allCases.count + Anomaly.allCases.count)
    // For `promtool check metrics`, which looks at what the assertions here do not think of.
    if let path = ProcessInfo.processInfo.environment["SNIFFER_METRICS_PAGE"] {
      #expect(FileManager.default.createFile(atPath: path, contents: Data(page)))
    }
  }

  @Test func labelsAreBoundedAndStay() {
    var metrics = CaptureMetrics(apiLimit: 2)
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
    #expect(found["sniffer_apis_in_other"] == 1)

    // The handles are new ones, /middle is gone, and others are larger now: the places stay.
    var second = Snapshot()
    for index in 0..<1000 { second.api("h", "/n\(index)", requests: 1, body: 1 << 20) }
    second.api("h", "/small", requests: 5, body: 1 << 30)
    second.api("h", "/large", requests: 3, body: 100)
    let count = found.count
    found = samples(metrics.update(second.totals, health: CaptureHealth()))
    #expect(requests("/large") == 3)
    #expect(requests("/middle") == 1)
    #expect(requests("other", "other") == 1005)
    #expect(found.count == count)
  }

  @Test func countersNeverGoBack() {
    var metrics = CaptureMetrics(apiLimit: 8)
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
      for (name, value) in last where name.contains("_total") {
        #expect(now[name, default: -1] >= value, "\(name)")
      }
      last = now
    }
  }

  @Test func namesThatShareLabelsAreSummed() {
    var metrics = CaptureMetrics { _, _ in (Array("h".utf8), Array("~".utf8)) }
    var snapshot = Snapshot()
    snapshot.api("a", "/1", requests: 1)
    snapshot.api("b", [0xff], requests: 2)
    let found = samples(metrics.update(snapshot.totals, health: CaptureHealth()))
    #expect(found[#"sniffer_api_requests_total{host="h",path="~"}"#] == 3)
  }

  @Test func aFullPageIsMadeQuickly() {
    var metrics = CaptureMetrics()
    var snapshot = Snapshot()
    for index in 0..<20_000 { snapshot.api("api.example.com", "/resource/\(index)", requests: index, body: index) }
    let totals = snapshot.totals
    _ = metrics.update(totals, health: CaptureHealth())
    var page: [UInt8] = []
    let time = ContinuousClock().measure { page = metrics.update(totals, health: CaptureHealth()) }
    print("20,000 APIs, 500 shown: \(page.count) octets in \(time)")
    #expect(page.count < 4 << 20)
  }
}
