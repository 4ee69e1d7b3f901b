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
    #expect(columns == ["id"] + LogColumns.names)
  }

  @Test("Sums by host and path") func sums() throws {
    let folder = try Folder()
    let store = store(folder.file("t.sqlite"))
    for number in 0..<4 { store.add(StoreTests.record(number)) }
    let sums = try store.withDatabase { try $0.traffic() }
    #expect(
      sums == [
        APITraffic(
          host: "example.com", path: "/a,\"b\"", requests: 2, responses: 2, requestOctets: 242, responseOctets: 244)
      ])
  }

  @Test("The log as CSV") func csv() {
    #expect(CSVLog.header.hasPrefix("host,path,type,occur_time,length,line_length,header_length,body_length,"))
    #expect(
      CSVLog.line(of: StoreTests.record(7))
        == "example.com,\"/a,\"\"b\"\"\",response,1700000000.250000,127,20,100,7,GET,200,,0,0,7,estimate,,\n")
    #expect(CSVLog.time(12.0000004) == "12.000000" && CSVLog.time(.nan) == "0.000000")
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
    defer { _ = try? run("umount", folder.url.path) }
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
