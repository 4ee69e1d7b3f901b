import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is in the log of exchanges that have not ended.
@Suite("Pending", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was loaded"), .serialized)
struct PendingTests {
  /// The first rows of a store that another process, or another thread, writes.
  private static func rows(_ store: URL) async throws -> [TrafficRecord] {
    var records: [TrafficRecord] = []
    try await wait {
      records = (try? TrafficProbe(store: store).records()) ?? []
      return !records.isEmpty
    }
    return records
  }

  @Test("A process that is killed in the middle of a load leaves the request's row, and says that it was pending")
  func killed() async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    let store = folder.file("t.sqlite")
    let process = Process()
    process.executableURL = ClientRun.executable
    process.arguments = ["--server", server.base, "--store", store.path, "--load", "/slow?x=1"]
    try process.run()
    let records = try await Self.rows(store)
    // The response never ends.
    #expect(process.isRunning && records.map(\.isPending) == [true])
    try await wait { try !server.messages().isEmpty }
    #expect(kill(process.processIdentifier, SIGKILL) == 0)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)

    let left = try TrafficProbe(store: store).records()
    let wire = try #require(server.messages().first)
    try #require(left.count == 1)
    #expect(left[0].isPending && left[0].kind == .request && left[0].path == "/slow" && left[0].error == "")
    #expect(left[0].length == wire.length && left[0].unknown == "cut")
    #expect(left[0].endTime == nil && left[0].duration == nil)
    // The next run of the app goes on with the same file, and counts from one again.
    #expect(try await ClientRun(["--server", server.base, "--store", store.path, "--load", "/bytes/10"]).status == 0)
    let all = try TrafficProbe(store: store).records()
    #expect(all.map(\.isPending) == [true, false, false] && all.map(\.exchange) == [1, 1, 1])
    try TrafficProbe(store: store).writeLog(to: folder.file("t.csv"))
    let lines = try String(contentsOf: folder.file("t.csv"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 4 && lines[1].hasSuffix(",1,") && lines[2].hasSuffix(",0,"))
  }

  @Test("A row is pending until its exchange ends, then complete, and is never there twice", arguments: [false, true])
  func completes(isUpload: Bool) async throws {
    let server = try ProbeServer()
    let folder = try Folder()
    var options = ProbeOptions()
    options.store.writeInterval = 0.05
    let app = Probed(store: folder.file("t.sqlite"), options: options)
    let (base, session) = (server.base, app.session)
    let body = Data(count: 70_000)
    let visit = Visit(
      name: "", method: "POST", path: "/late", body: isUpload ? nil : body, how: isUpload ? .upload(body) : .data)
    async let outcome = visit.outcome(base, session)
    let pending = try await Self.rows(folder.file("t.sqlite"))
    let begun = try #require(pending.first)
    #expect(pending.map(\.isPending) == [true] && begun.bodyLength == 70_000)
    let told = Date().timeIntervalSince1970
    try server.answerLate()
    #expect(try await outcome.status == 200)
    let records = try await app.records(count: 2)
    let wire = try server.messages()
    #expect(records.map(\.isPending) == [false, false] && records.map(\.kind) == [.request, .response])
    #expect(records.map(\.length) == wire.map(\.length))
    #expect(records.map(\.unknown) == ["", ""] && records[0].occurTime == begun.occurTime)
    // Milliseconds; the clock of both is the same, and less than a microsecond is lost by adding.
    #expect(try #require(records[0].duration) >= (told - begun.occurTime) * 1000 - 0.001 && records[1].duration == nil)
    #expect(records[1].occurTime >= told)
    #expect(try #require(records[1].endTime) >= records[1].occurTime)
    #expect(records.map(\.contentType) == ["", "text/plain"])
    // Where the sending is shown, its end is before the response.
    if !isUpload { #expect(try #require(records[0].endTime) < records[1].occurTime) }
  }
}
