import Foundation
import GRDB
import Testing

@testable import TrafficProbe

/// A store that fails loses records, counts them, and does nothing worse.
@Suite("The store") struct StoreTests {
  static func record(_ number: Int) -> TrafficRecord {
    TrafficRecord(
      host: "example.com", path: "/a,\"b\"", kind: number.isMultiple(of: 2) ? .request : .response,
      occurTime: 1_700_000_000.25, lineLength: 20, headerLength: 100, bodyLength: number, framingLength: 0,
      method: "GET", status: number.isMultiple(of: 2) ? nil : 200, queryLength: nil, exchange: number)
  }

  private func store(_ url: URL?, limit: Int = 10_000, batch: Int = 200) -> TrafficStore {
    var options = StoreOptions()
    options.bufferLimit = limit
    options.batchSize = batch
    options.writeInterval = 60
    return TrafficStore(url: url, options: options)
  }

  @Test("Records come out as they went in, and as the columns of the log") func roundTrip() throws {
    let folder = try Folder()
    let store = store(folder.file("t.sqlite"))
    for number in 0..<500 { store.add(StoreTests.record(number)) }
    store.flush()
    var read: [TrafficRecord] = []
    try store.withDatabase { database in try database.forEach { read.append($0) } }
    #expect(read == (0..<500).map(StoreTests.record))
    #expect(store.statistics.written == 500 && store.statistics.dropped == 0)
    // As another program reads it.
    let columns = try DatabaseQueue(path: folder.file("t.sqlite").path).read {
      try $0.columns(in: "traffic").map(\.name)
    }
    #expect(columns == ["id"] + ProbeColumns.names)
  }

  @Test("Every column is explained on the library's page") func columns() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/traffic-probe.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let log = try #require(text.components(separatedBy: "\n## The log\n").last?.components(separatedBy: "\n## ").first)
    #expect(ProbeColumns.names.count == 28 && ProbeColumns.names.filter { !log.contains("`\($0)`") } == [])
  }

  @Test("Sums by host and path") func sums() throws {
    let folder = try Folder()
    let store = store(folder.file("t.sqlite"))
    for number in 0..<4 { store.add(StoreTests.record(number)) }
    let sums = try store.withDatabase { try $0.traffic() }
    #expect(
      sums == [
        APITraffic(
          host: "example.com", path: "/a,\"b\"", request: APITraffic.Messages(count: 2, line: 40, header: 200, body: 2),
          response: APITraffic.Messages(count: 2, line: 40, header: 200, body: 4))
      ])
    #expect(sums?[0].requestOctets == 242 && sums?[0].responseOctets == 244)
  }

  @Test("Sums of what failed, was refused and is under way; with a store and without")
  func failures() throws {
    let folder = try Folder()
    for url in [folder.file("t.sqlite"), nil] {
      let probe = TrafficProbe(store: url)
      var failed = StoreTests.record(0)
      failed.error = "NSURLErrorDomain -1001"
      var cut = StoreTests.record(1)
      cut.error = failed.error
      var refused = StoreTests.record(3)
      refused.status = 404
      refused.framingLength = 7
      var open = StoreTests.record(4)
      open.isPending = true
      var other = StoreTests.record(6)
      other.path = "/large"
      other.bodyLength = 5000
      for record in [failed, cut, StoreTests.record(2), refused, open, other] { probe.add(record) }
      let sums = try probe.traffic()
      #expect(sums.map(\.path) == ["/large", "/a,\"b\""])
      try #require(sums.count == 2)
      #expect(sums[0].octets == 5120 && sums[0].failures == 0)
      #expect(sums[1].failures == 1 && sums[1].refusals == 1 && sums[1].pending == 1)
      #expect(sums[1].request == APITraffic.Messages(count: 3, line: 60, header: 300, body: 6))
      #expect(sums[1].response == APITraffic.Messages(count: 2, line: 40, header: 200, body: 4, framing: 7))
    }
  }

  @Test("The sums as a table: most octets first, with shares, failures and a search") func table() {
    func api(_ path: String, _ body: Int, failures: Int = 0, refusals: Int = 0) -> APITraffic {
      APITraffic(
        host: "a.example", path: path, request: APITraffic.Messages(count: 3, line: 10, header: 90),
        response: APITraffic.Messages(count: 2, body: body), failures: failures, refusals: refusals)
    }
    let table = TrafficSummary([api("/b", 0), api("/Large", 700, failures: 1, refusals: 2), api("/a", 0)])
    #expect(table.octets == 1000 && table.rows.map(\.path) == ["/Large", "/a", "/b"])
    #expect(table.rows[0].share == 0.8 && table.rows[0].failures == 3 && table.rows[0].requests == 3)
    #expect(table.rows[0].sent == 100 && table.rows[0].received == 700 && table.rows[0].octets == 800)
    #expect(table.rows(containing: "large").map(\.path) == ["/Large"] && table.rows(containing: "").count == 3)
    #expect(table.rows(containing: "A.EXAMPLE/a").map(\.path) == ["/a"])
    #expect(TrafficSummary([]).rows.isEmpty && TrafficSummary([APITraffic(host: "a", path: "/")]).rows[0].share == 0)
  }

  @Test(
    "Octets in words",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (1234, "1.23 kB"), (9994, "9.99 kB"), (9995, "10.0 kB"),
      (12_345, "12.3 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"), (999_499, "999 kB"), (999_500, "1.00 MB"),
      (1_050_000, "1.05 MB"), (5_000_000_000_000_000, "5000 TB"), (-1, "0 B"),
    ])
  func words(octets: Int, expected: String) { #expect(TrafficSummary.words(octets) == expected) }

  private static func pending(_ number: Int) -> TrafficRecord {
    var record = StoreTests.record(number)
    record.isPending = true
    record.unknown = "cut"
    return record
  }

  @Test("A pending request gives its place to the complete one, wherever it waits") func completion() throws {
    let folder = try Folder()
    let store = store(folder.file("t.sqlite"))
    // In the file, in the buffer, and in neither.
    for number in [0, 2] { store.add(StoreTests.pending(number)) }
    store.flush()
    for number in [4, 6] { store.add(StoreTests.pending(number)) }
    #expect(store.statistics.recorded == 0 && store.statistics.written == 0 && store.statistics.waiting == 0)
    for number in [0, 1, 4, 5, 8, 9] { store.add(StoreTests.record(number)) }
    #expect(store.statistics.recorded == 6)
    var read: [TrafficRecord] = []
    try store.withDatabase { database in try database.forEach { read.append($0) } }
    #expect(read.map(\.exchange) == [0, 2, 4, 6, 1, 5, 8, 9])
    #expect(read.filter(\.isPending).map(\.exchange) == [2, 6])
    #expect(read.first == StoreTests.record(0) && store.statistics.written == 6)
    // Another run on the same file has the same numbers: what was pending there stays so.
    let next = self.store(folder.file("t.sqlite"))
    for record in [StoreTests.pending(2), StoreTests.record(2)] { next.add(record) }
    next.flush()
    read = []
    try next.withDatabase { database in try database.forEach { read.append($0) } }
    #expect(read.filter { $0.exchange == 2 }.map(\.isPending) == [true, false])
  }

  @Test("A pending request that was forgotten, or whose file went away, is added again") func forgotten() throws {
    let folder = try Folder()
    let database = TrafficDatabase(url: folder.file("t.sqlite"), maximumRows: 5)
    try database.write([StoreTests.pending(0), StoreTests.pending(2)])
    for number in 10..<20 { try database.write([StoreTests.record(number)]) }
    try database.write([StoreTests.record(0)])
    var left: [Int] = []
    try database.forEach { left.append($0.exchange) }
    #expect(left == [16, 17, 18, 19, 0])
    try FileManager.default.removeItem(at: folder.file("t.sqlite"))
    try database.write([StoreTests.record(11), StoreTests.record(2)])
    left = []
    try database.forEach { left.append($0.exchange) }
    #expect(left == [11, 2])
  }

  @Test("A pending request that no room is left for is not counted as lost; its end is") func noRoom() {
    let store = store(nil, limit: 2)
    for number in [0, 2, 4] { store.add(StoreTests.pending(number)) }
    #expect(store.statistics.droppedByBuffer == 0)
    for number in [0, 1, 4] { store.add(StoreTests.record(number)) }
    #expect(store.statistics.droppedByBuffer == 2 && store.waiting.map(\.isPending) == [false, true])
  }

  @Test("A table of an earlier release gets the columns that it lacks, and keeps its rows") func migration() throws {
    let folder = try Folder()
    let old = try DatabaseQueue(path: folder.file("t.sqlite").path)
    try old.write {
      try $0.execute(
        sql: """
          CREATE TABLE traffic (
            id INTEGER PRIMARY KEY, host TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL, occur_time REAL NOT NULL,
            length INTEGER NOT NULL, line_length INTEGER NOT NULL, header_length INTEGER NOT NULL,
            body_length INTEGER NOT NULL, method TEXT NOT NULL, status INTEGER, query_length INTEGER,
            framing_length INTEGER, hop INTEGER NOT NULL, exchange INTEGER NOT NULL, source TEXT NOT NULL,
            unknown TEXT NOT NULL, error TEXT NOT NULL);
          INSERT INTO traffic VALUES (
            1, 'example.com', '/a,"b"', 'request', 1700000000.25, 120, 20, 100, 0, 'GET', NULL, NULL, 0, 0, 0, 'estimate',
            '', '')
          """)
    }
    try old.close()
    let store = store(folder.file("t.sqlite"))
    var newer = StoreTests.record(1)
    newer.contentType = "text/plain"
    newer.endTime = 1_700_000_001.5
    newer.duration = 1250
    newer.phases = TrafficRecord.Phases(dns: 1, connect: 2, tls: 3, send: 4, wait: 5, receive: 6.5)
    store.add(newer)
    var read: [TrafficRecord] = []
    try store.withDatabase { database in try database.forEach { read.append($0) } }
    #expect(read == [StoreTests.record(0), newer])
    #expect(
      LogText.line(of: newer).hasSuffix(
        ",estimate,,,text/plain,1700000001.500000,1250.000,1.000,2.000,3.000,4.000,5.000,6.500,0,\n"))
  }

  @Test("The log as CSV") func csv() {
    #expect(LogText.header.hasPrefix("host,path,type,occur_time,length,line_length,header_length,body_length,"))
    #expect(
      LogText.line(of: StoreTests.record(7))
        == "example.com,\"/a,\"\"b\"\"\",response,1700000000.250000,127,20,100,7,GET,200,,0,0,7,estimate,,,,,,,,,,,,0,\n"
    )
    #expect(LogText.time(12.0000004) == "12.000000" && LogText.time(.nan) == "0.000000")
  }

  @Test("A full buffer drops the newest, and counts them") func overflow() {
    let store = store(nil, limit: 10)
    for number in 0..<25 { store.add(StoreTests.record(number)) }
    #expect(store.statistics.droppedByBuffer == 15 && store.statistics.waiting == 10)
    #expect(store.waiting.map(\.exchange) == Array(0..<10))
  }

  @Test("A folder that is not there, a path that is a folder, a file that is no database")
  func unusablePaths() throws {
    let folder = try Folder()
    try Data(repeating: 65, count: 4096).write(to: folder.file("text"))
    for url in [folder.file("none/t.sqlite"), folder.url, folder.file("text"), URL(fileURLWithPath: "/proc/t.sqlite")] {
      let store = store(url)
      for number in 0..<5 { store.add(StoreTests.record(number)) }
      store.flush()
      #expect(store.statistics.droppedByStore == 5 && store.statistics.written == 0, "\(url.path)")
      #expect(store.statistics.lastError != nil)
    }
    #expect(try Data(contentsOf: folder.file("text")) == Data(repeating: 65, count: 4096))
  }

  @Test("A read-only folder", .enabled(if: getuid() != 0, "root may write everywhere")) func readOnly() throws {
    let folder = try Folder()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    let store = store(folder.file("t.sqlite"))
    store.add(StoreTests.record(1))
    store.flush()
    #expect(store.statistics.droppedByStore == 1)
  }

  @Test("A file that goes away is made anew") func disappears() throws {
    let folder = try Folder()
    let file = folder.file("t.sqlite")
    let store = store(file)
    store.add(StoreTests.record(1))
    store.flush()
    try FileManager.default.removeItem(at: file)
    store.add(StoreTests.record(2))
    store.flush()
    #expect(store.statistics.written == 2)
    #expect(try DatabaseQueue(path: file.path).read { try Int.fetchOne($0, sql: "SELECT exchange FROM traffic") } == 2)
  }

  @Test("A folder that goes away and comes back: what was lost between is counted") func comesBack() throws {
    let folder = try Folder()
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    let store = store(inner.appendingPathComponent("t.sqlite"))
    store.add(StoreTests.record(1))
    store.flush()
    try FileManager.default.removeItem(at: inner)
    store.add(StoreTests.record(2))
    store.flush()
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    store.add(StoreTests.record(3))
    store.flush()
    #expect(store.statistics.written == 2 && store.statistics.droppedByStore == 1)
  }

  @Test("A locked database keeps the records waiting, within the buffer") func locked() throws {
    let folder = try Folder()
    let file = folder.file("t.sqlite")
    let store = store(file, limit: 6)
    store.add(StoreTests.record(0))
    store.flush()
    let other = try DatabaseQueue(path: file.path)
    try other.inDatabase { database in
      try database.execute(sql: "BEGIN EXCLUSIVE")
      for number in 1..<9 { store.add(StoreTests.record(number)) }
      store.flush()
      #expect(store.statistics.written == 1 && store.statistics.waiting == 6 && store.statistics.droppedByBuffer == 2)
      try database.execute(sql: "COMMIT")
    }
    store.flush()
    #expect(store.statistics.written == 7 && store.statistics.droppedByStore == 0)
  }

  @Test("A full disk", .enabled(if: getuid() == 0, "only root may mount a small file system")) func fullDisk() throws {
    let folder = try Folder()
    #expect(try run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder.url.path) == 0)
    // Lazily: the store still has its file open.
    defer { _ = try? run("umount", "-l", folder.url.path) }
    let store = store(folder.file("t.sqlite"), batch: 100_000)
    for round in 0..<10 {
      for number in 0..<200 { store.add(StoreTests.record(round * 200 + number)) }
      store.flush()
    }
    let statistics = store.statistics
    #expect(statistics.droppedByStore > 0 && statistics.written > 0)
    #expect(statistics.written + statistics.dropped == 2000)
    var rows = 0
    try store.withDatabase { try $0.forEach { _ in rows += 1 } }
    #expect(rows == statistics.written)
  }

  @Test("The oldest rows are forgotten beyond the maximum") func maximum() throws {
    let folder = try Folder()
    let database = TrafficDatabase(url: folder.file("t.sqlite"), maximumRows: 10)
    for number in 0..<25 { try database.write([StoreTests.record(number)]) }
    var left: [Int] = []
    try database.forEach { left.append($0.exchange) }
    #expect(left == Array(15..<25))
  }

  private func run(_ words: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
