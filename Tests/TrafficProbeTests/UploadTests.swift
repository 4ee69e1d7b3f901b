import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The log, sent to a server.
@Suite("Upload", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was sent"), .serialized)
struct UploadTests {
  private func options(_ server: ProbeServer, _ path: String, batch: Int) throws -> ProbeOptions {
    var options = ProbeOptions()
    var upload = UploadOptions(url: try #require(URL(string: server.base + path)))
    upload.headers = ["Authorization": "Bearer me"]
    upload.interval = 0
    upload.retryInterval = 0.01
    upload.batchSize = batch
    options.upload = upload
    options.store.writeInterval = 60
    return options
  }

  /// The lines that the server has accepted, without the header of each batch.
  private func lines(_ server: ProbeServer, refused: Int) throws -> [Substring] {
    let contents = try server.messages().filter { $0.type == "request" }.dropFirst(refused).map { $0.content ?? "" }
    #expect(contents.allSatisfy { $0.hasPrefix(LogText.header) && $0.hasSuffix("\n") })
    return contents.flatMap { $0.split(separator: "\n").dropFirst() }
  }

  @Test("Every row once, in order, in batches; a batch that is refused is sent again, and nothing is metered")
  func batches() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    let probe = TrafficProbe(store: folder.file("t.sqlite"), options: try options(server, "/collect/2", batch: 3))
    // A probe for every request of the shared session, and of other sessions on Apple platforms, would take these, too.
    probe.start()
    defer { probe.stop() }
    for number in 0..<8 { probe.add(StoreTests.record(number)) }
    probe.flush()
    try await wait { probe.statistics.uploaded == 8 }
    let wire = try server.messages().filter { $0.type == "request" }
    // The rows may be written in parts. A batch that was refused is sent again, with rows that came meanwhile.
    let contents = wire.map { $0.content ?? "" }
    #expect(contents.count >= 5 && contents[1].hasPrefix(contents[0]) && contents[2].hasPrefix(contents[1]))
    #expect(contents.allSatisfy { (2...4).contains($0.split(separator: "\n").count) })
    #expect(wire.allSatisfy { $0.raw?.contains("Authorization: Bearer me\r\n") ?? false })
    let expected = (0..<8).map { Substring(LogText.line(of: StoreTests.record($0)).dropLast()) }
    #expect(try lines(server, refused: 2) == expected)
    #expect(probe.statistics.lastError == "upload: status 503" && probe.statistics.recorded == 8)
    #expect(try probe.records().count == 8)
    // What comes later is sent, too, and nothing a second time.
    probe.add(StoreTests.record(8))
    probe.flush()
    try await wait { probe.statistics.uploaded == 9 }
    #expect(try lines(server, refused: 2).last?.contains(",8,") == true)
  }

  @Test("A request that is under way waits for its end; one that never ended is sent by the next run")
  func pending() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    var open = StoreTests.record(0)
    open.isPending = true
    var probe: TrafficProbe? = TrafficProbe(
      store: folder.file("t.sqlite"), options: try options(server, "/collect", batch: 100))
    probe?.add(open)
    probe?.add(StoreTests.record(1))
    probe?.flush()
    try await wait { probe?.statistics.uploaded == 1 }
    #expect(try lines(server, refused: 0).count == 1)
    probe = nil
    let next = TrafficProbe(store: folder.file("t.sqlite"), options: try options(server, "/collect", batch: 100))
    try await wait { next.statistics.uploaded == 1 }
    #expect(try lines(server, refused: 0).map { $0.hasSuffix(",1,") } == [false, true])
  }

  @Test("Rows from before there was an upload are sent; deleted rows are not; a redirect is not followed")
  func earlier() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    let before = TrafficProbe(store: folder.file("t.sqlite"))
    for number in 0..<4 { before.add(StoreTests.record(number)) }
    before.flush()
    var moved = try options(server, "/redirect/307/1", batch: 100)
    moved.store.maximumRows = 3
    var probe: TrafficProbe? = TrafficProbe(store: folder.file("t.sqlite"), options: moved)
    try await wait { probe?.statistics.lastError != nil }
    #expect(probe?.statistics.lastError == "upload: status 307" && probe?.statistics.uploaded == 0)
    #expect(try server.messages().allSatisfy { $0.path == "/redirect/307/1" })
    probe?.add(StoreTests.record(4))
    probe?.flush()
    probe = nil
    let accepting = try ProbeServer()
    let next = TrafficProbe(store: folder.file("t.sqlite"), options: try options(accepting, "/collect", batch: 100))
    try await wait { next.statistics.uploaded == 3 }
    #expect(try lines(accepting, refused: 0).count == 3)
  }

  @Test("The waits between tries double, up to an hour")
  func waits() throws {
    var upload = UploadOptions(url: try #require(URL(string: "http://a.example/")))
    #expect([1, 2, 3, 4].map(upload.wait) == [5, 10, 20, 40] && upload.wait(after: 1000) == 3600)
    upload.retryInterval = -1
    #expect(upload.wait(after: 1) > 0)
  }
}
