import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A few hundred requests of every kind, made with a probe, whose log is written at the end.
struct Tour {
  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  private static func octets(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

  /// One round. `n` makes sizes and queries differ from round to round.
  private static func round(_ n: Int) -> [Load] {
    [
      Load(path: "/bytes/\(n * 100)"),
      Load(path: "/bytes/64?page=\(n)&sort=name"),
      Load(path: "/echo/caf%C3%A9/a%20b?q=%E4%BD%A0"),
      Load(path: "/bytes/10", headers: ["X-Request": "\(n)", "Accept": "text/plain"]),
      Load(method: "HEAD", path: "/bytes/5000"),
      Load(method: "POST", path: "/echo/data", headers: ["Content-Type": "application/json"], body: octets(200 + n)),
      Load(method: "POST", path: "/echo/form", body: octets(40)),
      Load(method: "POST", path: "/echo/stream", stream: octets(100_000 + n)),
      Load(method: "PUT", path: "/echo/stream", stream: octets(17)),
      Load(method: "PUT", path: "/echo/data", body: octets(3000)),
      Load(method: "PATCH", path: "/echo/data", body: octets(12)),
      Load(method: "DELETE", path: "/echo/item"),
      Load(method: "POST", path: "/echo/upload", body: octets(50_000), isUpload: true),
      Load(method: "POST", path: "/echo/large", body: octets(1_500_000)),
      Load(path: "/bytes/2000000"),
      Load(path: "/bytes/80000", isDownload: true),
      Load(path: "/gzip/\(20_000 + n)"),
      Load(path: "/deflate/20000"),
      Load(path: "/chunked/\(2500 + n)"),
      Load(path: "/gzip-chunked/20000"),
      Load(path: "/redirect/302/2"),
      Load(path: "/redirect/301/1"),
      Load(method: "POST", path: "/redirect/303/1", body: octets(30)),
      Load(path: "/cookies"),
      Load(path: "/bytes/11"),
      Load(path: "/etag"),
      Load(path: "/etag", headers: ["If-None-Match": "\"v1\""], status: 304),
      Load(path: "/status/204", status: 204),
      Load(path: "/none/such", status: 404),
      Load(path: "/status/500", status: 500),
      Load(method: "POST", path: "/continue", body: octets(9)),
      Load(path: "/odd"),
      Load(path: "/cut", status: nil),
      Load(path: "/slow", cancelling: .answered, status: nil),
    ]
  }

  /// Makes the rounds and writes the log. Ends the process with status 1 if a load came out otherwise than it should.
  func run() async throws {
    let probe = TrafficProbe(store: arguments.store)
    let configuration = URLSessionConfiguration.ephemeral
    probe.inject(into: configuration)
    let session = URLSession(configuration: configuration)
    var made = 0
    var wrong = 0
    var round = 0
    while made < arguments.requests {
      round += 1
      for load in Tour.round(round) {
        let recorded = probe.statistics.recorded
        let status = await load.run(arguments.server, session)
        // All of them are answered. The records of a cancelled one, and of a download, come after the app was told.
        while probe.statistics.recorded < recorded + 2 {
          try await Task.sleep(nanoseconds: 1_000_000)
        }
        made += 1
        if status != load.status {
          wrong += 1
          print("\(load.method) \(load.path): \(status.map(String.init) ?? "failed")")
        }
      }
    }
    probe.flush()
    if let log = arguments.log { try probe.writeLog(to: log) }
    let statistics = probe.statistics
    print("\(made) loads, \(wrong) wrong; \(statistics.recorded) records, \(statistics.dropped) dropped")
    if wrong > 0 || statistics.dropped > 0 { exit(1) }
  }
}
