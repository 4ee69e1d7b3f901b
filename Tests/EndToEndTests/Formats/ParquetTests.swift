import Foundation
import TestSupport
import Testing

/// Parquet files have the same figures as the other formats, by three readers that share no code with this project.
@Suite(
  .enabled(if: ParquetWitness.python != nil, "\(ParquetWitness.reason)"),
  .enabled(if: FormatWitness.python != nil, "needs python3"))
struct ParquetTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Of each kind one: without and with TLS, QUIC, HTTP/2, holes, IPv6, and one that is damaged.
  @Test func everyTable() throws {
    let captures = [
      "apache-logio", "demo", "errors-aborts", "fragments", "http2-tls", "loss-reorder", "nginx-ipv6", "pipelining",
      "proxy",
      "quic", "snaplen-96", "tls-closed",
    ]
    let folders = try captures.map { try analysis([try Corpus.capture($0).path]) }
    #expect(try ParquetWitness.differences(in: folders) == "")
    let names = Report.fileNames.map { $0.replacing(".csv", with: ".parquet") }
    for folder in folders {
      #expect(try FileManager.default.visibleNames(folder.path).filter { $0.hasSuffix(".parquet") } == names)
    }
  }

  @Test func everyOption() throws {
    let options = [["--redact"], ["--group-by", "host"], ["--template", "--group-by", "process,host,path,method"]]
    let folders = try options.map { try analysis([try Corpus.capture("mixed-2000").path] + $0) }
    #expect(try ParquetWitness.differences(in: folders) == "")
  }

  /// No packet, and so hardly a row.
  @Test func emptyTables() throws {
    let octets = try PcapOctets(try Corpus.capture("nginx-keepalive").url)
    let folder = try analysis([try scratch.file("none.pcap", octets.part(0..<0)).path])
    #expect(try ParquetWitness.differences(in: folder) == "")
    #expect(
      try ParquetWitness.query("SELECT count(*), count(first_time) FROM 'messages.parquet'", in: folder) == ["0|0"])
  }

  /// Octets of any kind where the wire has text, most of them printable, short and long.
  @Test func anyTexts() throws {
    let folders = try (0..<6).map { try hostileNames(seed: $0) }
    #expect(try ParquetWitness.differences(in: folders) == "")
    for folder in folders {
      let rows = try ParquetWitness.query(
        "SELECT count(*), count(DISTINCT path) > 20 FROM 'messages.parquet'", in: folder)
      #expect(Int(rows.first?.split(separator: "|").first ?? "").map { $0 >= 60 } == true && rows[0].hasSuffix("True"))
    }
  }

  private func hostileNames(seed: UInt64) throws -> URL {
    var random = SeededRandom(seed: seed)
    func text(_ lengths: Range<Int>) -> [UInt8] {
      let pieces: [[UInt8]] = [
        Array("é€😀".utf8), [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0], [0x7f], [0x1b, 0x5b],
        Array("\u{202e}\\x00\"',".utf8),
        Array("PAR1".utf8), [0xf4, 0x8f, 0xbf, 0xbf], Array("~~~~".utf8),
      ]
      return (0..<random.number(lengths)).flatMap { _ in
        random.chance(0.7) ? [UInt8(random.number(0x21..<0x7f))] : pieces[random.number(0..<pieces.count)]
      }
    }
    let names = scratch.url.appendingPathComponent("hostile-\(seed)")
    try FileManager.default.createDirectory(at: names, withIntermediateDirectories: true)
    for index in 0..<40 {
      let isLong = random.chance(0.1)
      let request =
        Array("GET /".utf8) + text(isLong ? 1000..<9000 : 0..<80) + Array(" HTTP/1.1\r\nHost: ".utf8)
        + text(0..<90).filter { $0 != 0x2f } + Array("\r\n".utf8) + text(1..<20) + Array(": x\r\n\r\n".utf8)
      let response =
        Array("HTTP/1.1 200 OK\r\nContent-Type: ".utf8) + text(0..<200) + Array("\r\nContent-Encoding: ".utf8)
        + text(0..<9)
        + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
      // Hours apart, so that they are connections of their own.
      let octets = HandMadeCapture.octets(request, response, at: HandMadeCapture.second + index * 3600)
      try Data(octets).write(to: names.appendingPathComponent("\(index).pcap"))
    }
    return try analysis([names.path])
  }

  @Test func theSameCaptureGivesTheSameOctets() throws {
    let capture = try Corpus.capture("loss-reorder").path
    let folders = try [["--jobs", "1"], ["--jobs", "2"], []].map { try analysis([capture] + $0) }
    for name in Report.fileNames.map({ $0.replacing(".csv", with: ".parquet") }) {
      let files = try folders.map { try Data(contentsOf: $0.appendingPathComponent(name)) }
      #expect(files[0] == files[1] && files[0] == files[2], "\(name)")
    }
  }

  /// What the database's `meta` says.
  @Test func factsAreThoseOfTheDatabase() throws {
    let folder = try analysis([
      try Corpus.capture("nginx-keepalive").path, "--template", "--filter", "tcp port 80", "--no-decode",
    ])
    let rows = try FormatWitness.query(
      "SELECT name, value FROM meta WHERE name <> 'schema_version'", of: folder.appendingPathComponent("report.sqlite"))
    let meta = rows.map { $0.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
    #expect(meta.count >= 8)
    for table in ["messages", "ledger"] {
      let facts = try ParquetWitness.facts(folder.appendingPathComponent("\(table).parquet"))
      for pair in meta { #expect(facts["sniffer.\(pair[0])"] == pair[1], "\(pair[0])") }
      #expect(facts["sniffer.table"] == table && facts["sniffer.schema_version"] == "1")
      #expect(facts["created_by"]?.hasPrefix("sniffer version ") == true)
    }
    let redacted = try analysis([try Corpus.capture("nginx-keepalive").path, "--redact", "--filter", "host 192.0.2.1"])
    let facts = try ParquetWitness.facts(redacted.appendingPathComponent("apis.parquet"))
    #expect(facts["sniffer.redacted"] == "1" && facts["sniffer.filter"] == nil)
  }

  @Test func sharesTheLimitOfRows() throws {
    let folder = try analysis([try Corpus.capture("mixed-2000").path, "--max-report", "2MB"])
    let count = try ParquetWitness.query("SELECT count(*) FROM 'messages.parquet'", in: folder).compactMap { Int($0) }
    #expect(count.first.map { (100..<5000).contains($0) } == true)
    let said = try ParquetWitness.query("SELECT name FROM 'anomalies.parquet' WHERE name = 'report_full'", in: folder)
    #expect(said == ["report_full"])
    #expect(
      try ParquetWitness.query("SELECT bytes FROM 'ledger.parquet' WHERE class = 'difference'", in: folder) == ["0"])
  }

  @Test func nothingIsWrittenThroughALink() throws {
    let folder = scratch.url.appendingPathComponent("planted")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let victim = try scratch.file("victim", Array("mine".utf8))
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("messages.parquet"), withDestinationURL: victim)
    let outcome = try Sniffer.run([
      try Corpus.capture("nginx-keepalive").path, "-q", "-o", folder.path, "--format", "parquet",
    ])
    #expect(
      outcome.status == 1 && outcome.error.contains("messages.parquet: cannot create the file: It is a symbolic link"))
    #expect(try String(contentsOf: victim, encoding: .utf8) == "mine")
  }

  private func analysis(_ arguments: [String]) throws -> URL {
    let folder = scratch.path("report-\(UUID().uuidString)")
    let outcome = try Sniffer.run(arguments + ["-q", "-o", folder, "--format", "csv,sqlite,parquet"])
    #expect(outcome.status != 2 && !outcome.wasKilled, "\(outcome.error)")
    return URL(fileURLWithPath: folder)
  }
}

/// Parquet files of a live run: short tables are brought up to date at each interval, and what was moved away is begun anew.
@Suite(
  .enabled(if: ParquetWitness.python != nil, "\(ParquetWitness.reason)"),
  .enabled(
    if: LiveRun.isPossible && FormatWitness.python != nil, "needs root, Python and the permission to capture on lo"))
struct LiveParquetTests {
  private let scratch: Scratch
  private let server: LocalServer

  init() throws {
    scratch = try Scratch()
    server = try LocalServer()
  }

  @Test func theSameFiguresAtTheEnd() throws {
    let run = try start()
    try server.makeRequests(60)
    #expect(eventually { (try? ledger(run)) == "0" })
    #expect(try run.stop().status == 0)
    #expect(try ParquetWitness.differences(in: run.report) == "")
    #expect(try requests(run, "messages.parquet").count == 60)
    let facts = try ParquetWitness.facts(run.url("messages.parquet"))
    #expect(facts["sniffer.complete"] == "1")
  }

  @Test func whatWasMovedAwayIsBegunAnew() throws {
    let run = try start(["--idle-timeout", "1"])
    try server.makeRequests(30)
    #expect(eventually { (try? requests(run, "messages.parquet").count) == 30 })
    try FileManager.default.moveItem(at: run.url("messages.parquet"), to: run.url("kept.parquet"))
    run.process.signal(SIGHUP)
    #expect(eventually { (try? requests(run, "messages.parquet").count) == 0 })
    try server.makeRequests(30)
    #expect(try run.stop().status == 0)
    let rows = try requests(run, "kept.parquet") + requests(run, "messages.parquet")
    #expect(rows.count == 60 && Set(rows).count == 60)
  }

  private func ledger(_ run: LiveRun) throws -> String? {
    try ParquetWitness.query("SELECT bytes FROM 'ledger.parquet' WHERE class = 'difference'", in: run.report).first
  }

  private func requests(_ run: LiveRun, _ name: String) throws -> [String] {
    try ParquetWitness.query("SELECT message FROM '\(name)' WHERE type = 'request' ORDER BY message", in: run.report)
  }

  private func start(_ options: [String] = []) throws -> LiveRun {
    try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.2", "--format", "csv,sqlite,parquet"] + options)
  }
}
