import Foundation
import Testing

/// The database as a file: who may read it, what stands in its way, and what is left of it after a crash.
@Suite(.enabled(if: FormatWitness.python != nil, "needs python3"))
struct SQLiteFileTests {
  private let capture: CaptureFile
  private let scratch: Scratch
  private let folder: String

  init() throws {
    capture = try Corpus.capture("mixed-2000")
    scratch = try Scratch()
    folder = scratch.path("report")
  }

  private var database: URL { URL(fileURLWithPath: folder + "/report.sqlite") }

  @Test func symbolicLinkIsRefused() throws {
    let victim = try plant("report.sqlite")
    let outcome = try analyze()
    #expect(outcome.status == 1)
    #expect(outcome.errorLines == ["sniffer: \(database.path): cannot create the file: It is a symbolic link"])
    #expect(outcome.outputOctets.isEmpty)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func linksInThePlaceOfTheOthersAreNotFollowed(_ suffix: String) throws {
    let victim = try plant("report.sqlite" + suffix)
    #expect(try analyze().status == 0)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    #expect(try FormatWitness.query("SELECT count(*) FROM messages", of: database) == ["5028"])
    #expect(try FileManager.default.visibleNames(folder) == ["report.sqlite"])
  }

  @Test func pipeIsRefusedWithoutWaiting() throws {
    let made = try Command.shell("mkdir \"$1\" && mkfifo \"$1/report.sqlite\"", [folder])
    try #require(made.status == 0)
    #expect(try analyze().errorLines == ["sniffer: \(database.path): cannot create the file: It is not a regular file"])
  }

  @Test func isForTheOwnerAlone() throws {
    #expect(try analyze().status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: database.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
  }

  @Test func aNameThatLooksLikeAnAddressIsAFolder() throws {
    let odd = "file:x?mode=memory&vfs=none"
    let outcome = try Command.shell(
      "cd \"$1\" && exec \"$2\" \"$3\" -q -o '\(odd)' --format sqlite",
      [scratch.url.path, Sniffer.url.path, capture.path])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(FileManager.default.fileExists(atPath: scratch.path(odd) + "/report.sqlite"))
  }

  @Test func runAgainReplaces() throws {
    #expect(try analyze().status == 0)
    let other = try Corpus.capture("nginx-keepalive")
    #expect(try Sniffer.run([other.path, "-q", "-o", folder, "--format", "sqlite"]).status == 0)
    #expect(try FormatWitness.query("SELECT name FROM captures", of: database) == ["nginx-keepalive.pcap"])
    #expect(try FormatWitness.query("PRAGMA integrity_check", of: database) == ["ok"])
  }

  /// The end of the input does not come, so that the run is in the middle of it when it is killed.
  @Test func killedRunLeavesWholeTransactions() throws {
    let line = """
      mkfifo "$4" && exec 3<>"$4" || exit 99
      "$1" - -q -o "$2" --format sqlite <"$4" 3>&- &
      running=$!
      cat "$3" >&3
      for try in $(seq 6000); do
        [ "$(wc -c <"$2/report.sqlite-wal" 2>/dev/null || echo 0)" -gt 200000 ] && break
        sleep 0.05
      done
      stat -c '%a %n' "$2"/*
      kill -9 $running
      wait $running
      echo "status $?"
      """
    let plain = try scratch.file("plain.pcap", try Command.shell("gzip -dc \"$1\"", [capture.path]).outputOctets)
    let input = try scratch.file("twice.pcap", PcapOctets(plain).twice(after: 1200))
    let outcome = try Command.shell(line, [Sniffer.url.path, folder, input.path, scratch.path("pipe")])
    #expect(outcome.outputLines.last == "status 137", "\(outcome.output)\(outcome.error)")
    #expect(outcome.outputLines.dropLast().count == 3)
    for line in outcome.outputLines.dropLast() { #expect(line.hasPrefix("600 "), "\(line)") }
    let counts = try FormatWitness.query(
      """
      SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM exchanges) + (SELECT count(*) FROM connections),
        (SELECT value FROM meta WHERE name = 'complete')
      """, of: database)
    let cells = try #require(counts.first).split(separator: "|")
    // Whole transactions of 2,000 rows.
    #expect(Int(cells[0]).map { $0 > 0 && $0 % 2000 == 0 } == true, "\(counts)")
    #expect(cells[1] == "0")
    #expect(try FormatWitness.query("PRAGMA integrity_check", of: database) == ["ok"])
    // What is left stands in nobody's way.
    #expect(try analyze().status == 0)
    #expect(try FormatWitness.query("SELECT count(*) FROM messages", of: database) == ["5028"])
  }

  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a small file system"))
  func fullDisk() throws {
    let outcome = try onMount("size=600k")
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(
      outcome.errorLines.first?.hasPrefix("sniffer: \(database.path): cannot write: ") == true, "\(outcome.error)")
    #expect(outcome.error.contains("full"))
    #expect(outcome.outputLines.contains { $0.hasPrefix("ledger balanced: ") })
    #expect(outcome.outputLines.last == "integrity ok")
  }

  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a read-only file system"))
  func folderThatCannotBeWrittenTo() throws {
    let outcome = try onMount("ro")
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.first == "sniffer: \(database.path): cannot create the file: Read-only file system")
  }

  /// Analyses into a file system that nobody else sees, and has what is left there checked.
  private func onMount(_ options: String) throws -> Outcome {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let check =
      "import sqlite3, sys; print('integrity', *sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone())"
    let line = """
      mount -t tmpfs -o \(options) tmpfs "$3" || exit 99
      "$1" "$2" -o "$3" --format sqlite; status=$?
      [ -s "$3/report.sqlite" ] && cp -r "$3" "$3.copy" && "$4" -c "$5" "$3.copy/report.sqlite"
      exit $status
      """
    return try Command.run(
      try #require(Environment.tool("unshare")),
      [
        "-m", "/bin/sh", "-c", line, "sh", Sniffer.url.path, capture.path, folder,
        try #require(FormatWitness.python).path, check,
      ])
  }

  private func analyze() throws -> Outcome { try Sniffer.run([capture.path, "-o", folder, "--format", "sqlite"]) }

  private func plant(_ name: String) throws -> URL {
    let victim = try scratch.file("victim", Array("precious".utf8))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: victim.path)
    return victim
  }
}
