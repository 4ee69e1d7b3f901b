import Foundation
import HTTPReassembly
import Testing

@testable import Estimates

@Suite("HAR of proxies and other programs")
struct HARProxyTests {
  @Test("Charles: what it answers itself is no response of the server")
  func charles() throws {
    let log = try LogReader().read(LogFolder.fixture("charles.har"))
    #expect(log.dialect == .harCharles)
    #expect(log.entries.map(\.isAborted) == [false, false, false, true])
    #expect(log.entries.map(\.length) == [402, 1_233, 300, 1_903])
    #expect(log.entries.map(\.time) == [after(100), after(141), after(1_100), after(1_100)])
  }

  @Test("TLS is inside of connect, unless the entry's time shows that it is not")
  func tls() throws {
    func phases(_ time: String, _ ssl: String) throws -> (ExchangeTimings, Int64) {
      let log = try LogFolder.read(
        "{\"log\": {\"entries\": [{\"startedDateTime\": \"2026-03-01T10:00:00Z\", \(time) "
          + "\"request\": {\"url\": \"https://h/\"}, \"response\": {\"status\": 200}, \"timings\": {\"blocked\": 1, "
          + "\"dns\": -1, \"connect\": 50, \"ssl\": \(ssl), \"send\": 2, \"wait\": 3, \"receive\": 4}}]}}")
      #expect(log.entries[1].endTime == (log.entries[0].time ?? 0) + 9_000_000)
      return (try #require(log.entries[0].phases), (log.entries[0].time ?? 0) - tenOClock)
    }
    for (time, ssl, connect, tls, delay) in [
      ("", "30", 20, 30, 51), ("\"time\": 60,", "30", 20, 30, 51), ("\"time\": 90,", "30", 50, 30, 81),
      ("\"time\": -1,", "30", 20, 30, 51), ("", "60", 50, 60, 111), ("\"time\": 60,", "-1", 50, nil, 51),
    ] as [(String, String, Int64, Int64?, Int64)] {
      let (found, start) = try phases(time, ssl)
      #expect(found.connect == connect * 1_000_000 && found.tls == tls.map { $0 * 1_000_000 }, "\(time) \(ssl)")
      #expect(found.dns == nil && start == delay * 1_000_000, "\(time) \(ssl)")
    }
  }

  @Test("Proxyman: as HAR 1.2")
  func proxyman() throws {
    let log = try LogReader().read(LogFolder.fixture("proxyman.har"))
    #expect(log.dialect == .harProxyman)
    #expect(log.entries.map(\.method) == ["PUT", "PUT"])
    #expect(log.entries.map(\.length) == [457, 233])
    #expect(log.entries.map(\.decodedLength) == [nil, 13])
  }

  @Test("others: as HAR 1.2, with an interim response, an empty query and no answer")
  func others() throws {
    let log = try LogReader().read(LogFolder.fixture("other.har"))
    #expect(log.dialect == .har)
    #expect(log.entries.map(\.kind) == [.request, .response, .request])
    #expect(log.entries.map(\.host) == ["[2001:db8::1]:8080", "[2001:db8::1]:8080", "api.example.com"])
    #expect(log.entries.map(\.path) == ["/", "/", "/"])
    #expect(log.entries.map(\.queryLength) == [nil, nil, 0])
    #expect(log.entries[2].isAborted)
  }

  @Test("mitmproxy: figures of a recording of octets that are known")
  func mitmproxy() throws { try check(LogReader().read(LogFolder.fixture("mitmproxy.har"))) }

  @Test(
    "mitmproxy: the same, recorded now",
    .enabled(if: hasMitmdump, "mitmdump is not in PATH: its HAR is checked as recorded before, not afresh"),
    .timeLimit(.minutes(20)))
  func mitmproxyNow() throws {
    let folder = try LogFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: LogFolder.fixture("record-mitmproxy"))
    process.arguments = [folder.path("now.har")]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    try check(LogReader().read(folder.path("now.har")))
  }

  /// What `record-mitmproxy` sends: requests with three fields, the upload with five, six answers of which one is
  /// none. A field list counts S + 12n + 7, and 9 when it is empty.
  private func check(_ log: AppLog) throws {
    #expect(log.dialect == .harMitmproxy)
    #expect(log.entries.map(\.row) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6])
    let requests = log.entries.filter { $0.kind == .request }
    let responses = log.entries.filter { $0.kind == .response }
    #expect(requests.map(\.path) == ["/plain", "/gzip", "/chunked", "/moved", "/upload", "/broken"])
    #expect(requests.map(\.queryLength) == [9, nil, nil, nil, nil, nil])
    let host = try #require(requests.first?.host)
    let fields = "Host\(host)User-Agentprobe/1.0Accept*/*".utf8.count
    #expect(requests[0].headerLength == fields + 12 * 3 + 7)
    let upload = fields + "Content-EncodinggzipContent-Length455".utf8.count
    #expect(requests[4].headerLength == upload + 12 * 5 + 7)
    // 455 octets on the wire.
    #expect(requests[4].bodyLength == 2_501 && requests[4].decodedLength == 2_501)
    #expect(requests.map(\.isAborted) == [false, false, false, false, false, true])
    #expect(responses.map(\.status) == [200, 200, 200, 302, 204])
    #expect(responses.map(\.bodyLength) == [5, 455, 11, 0, 0])
    #expect(responses.map(\.decodedLength) == [5, 2_501, 11, 0, 0])
    #expect(responses.last?.headerLength == 9)
    #expect(log.entries.allSatisfy { $0.length == nil && $0.lineLength == nil })
    #expect(zip(requests, responses).allSatisfy { ($0.time ?? 0) < ($1.time ?? 0) })
    #expect(log.entries.map(\.exchange) == log.entries.map(\.row))
    #expect(requests[0].query?.utf8.count == 9 && requests.dropFirst().allSatisfy { $0.query == "" })
  }
}

/// Whether mitmproxy's recorder can be run.
private let hasMitmdump: Bool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .contains { FileManager.default.isExecutableFile(atPath: "\($0)/mitmdump") }
