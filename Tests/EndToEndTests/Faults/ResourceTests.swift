import Foundation
import TestSupport
import Testing

/// What a run needs and cannot get, or loses on its way: one clear line, status 1, and what was read is summed up.
@Suite struct ResourceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: 4...24)
  func outOfDescriptors(_ limit: Int) throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let folder = scratch.path("report")
    let outcome = try Command.shell(
      "ulimit -n $3 && exec \"$1\" \"$2\" -o \"$4\" --format csv,ndjson,sqlite,har",
      [Sniffer.url.path, capture.path, "\(limit)", folder])
    try #require(!outcome.wasKilled && [0, 1].contains(outcome.status), "\(limit): \(outcome.status) \(outcome.error)")
    if outcome.status == 0 {
      #expect(outcome.error.isEmpty)
    } else {
      #expect((1...2).contains(outcome.errorLines.count), "\(outcome.error)")
      #expect(
        outcome.error.contains("Too many open files") || outcome.error.contains("unable to open"), "\(outcome.error)")
    }
    // What cannot be begun ends with its error.
    let isBegun = outcome.status == 0 || !outcome.outputOctets.isEmpty
    #expect(!isBegun || outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }

  @Test func folderThatIsRemovedDuringTheRun() throws {
    let octets = try [UInt8](Data(contentsOf: Corpus.capture("nginx-keepalive").url))
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let folder = scratch.path("report")
    let run = try RunningCommand(Sniffer.url, [fifo, "-o", folder, "--log-level", "info"])
    let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
    try writer.write(contentsOf: Data(octets.prefix(60_000)))
    #expect(eventually { run.error.contains("[Sniffer] reading") })
    try FileManager.default.removeItem(atPath: folder)
    try writer.write(contentsOf: Data(octets.dropFirst(60_000)))
    try writer.close()
    let outcome = try run.wait()
    #expect(outcome.status == 1 && !outcome.wasKilled)
    let errors = outcome.errorLines.filter { $0.hasPrefix("sniffer: ") }
    #expect(
      errors.count == 1 && errors[0].contains("\(folder): cannot write: The folder was removed"), "\(outcome.error)")
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }

  /// Reading where nothing is mapped fails with an error of the system.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem"), "there is no /proc/self/mem"))
  func inputThatCannotBeRead() throws {
    let good = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(["/proc/self/mem", good.path])
    #expect(outcome.status == 1)
    #expect(outcome.errorLines == ["sniffer: /proc/self/mem: offset 0: cannot read: Input/output error"])
    #expect(outcome.outputOctets.isEmpty)
  }

  /// The writer of a pipe goes away in the middle of a packet.
  @Test func pipeThatEndsEarly() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Command.shell("head -c 5000 \"$2\" | \"$1\" -", [Sniffer.url.path, capture.path])
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("standard input: offset"), "\(outcome.error)")
  }

  /// Who has seen enough of the summary, or of the rows, ends nothing else.
  @Test func readerThatGoesAway() throws {
    let capture = try Corpus.capture("mixed-2000")
    let folder = scratch.path("report")
    let outcome = try Command.shell(
      // Open at both ends, then at the one that is written to.
      "mkfifo \"$4\" && exec 3<>\"$4\" 4>\"$4\" 3>&-; \"$1\" \"$2\" -o \"$3\" >&4; echo \"status $?\" >&2",
      [Sniffer.url.path, capture.path, folder, scratch.path("fifo")])
    #expect(outcome.errorLines == ["status 0"])
    #expect(
      try Report(folder: URL(fileURLWithPath: folder)).differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  @Test(
    .enabled(if: Environment.canMount, "needs root and unshare -m, to mount a small file system"),
    arguments: [
      ("csv", 64), ("ndjson", 64), ("sqlite", 64), ("har", 64), ("html", 64), ("parquet", 64), ("parquet", 16),
    ])
  func fullDisk(_ format: String, _ kibibytes: Int) throws {
    let disk = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let outcome = try Command.run(
      try #require(Environment.tool("unshare")),
      [
        "-m", "/bin/sh", "-c", "mount -t tmpfs -o size=$5k tmpfs \"$3\" && exec \"$1\" \"$2\" -o \"$3\" --format $4",
        "sh", Sniffer.url.path, try Corpus.capture("mixed-2000").path, disk, format, "\(kibibytes)",
      ])
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1, "\(outcome.error)")
    #expect(
      outcome.error.contains("No space left on device") || outcome.error.contains("disk is full"), "\(outcome.error)")
    // A database cannot even be begun there.
    let isBegun = format != "sqlite" || !outcome.outputOctets.isEmpty
    #expect(!isBegun || outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }
}
