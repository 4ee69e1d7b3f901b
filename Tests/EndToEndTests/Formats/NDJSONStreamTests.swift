import Foundation
import Testing

/// `--output - --format ndjson`: rows and nothing else on standard output.
@Suite struct NDJSONStreamTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: ["mixed-2000", "pipelining", "loss-reorder", "one-sided"])
  func theSameLinesAsInTheFile(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let stream = try Sniffer.run([capture.path, "-o", "-", "--format", "ndjson"])
    #expect(stream.status == 0 && stream.error.isEmpty)
    #expect(try Sniffer.run([capture.path, "-o", scratch.path("r"), "--format", "ndjson", "-q"]).status == 0)
    let lines = try String(contentsOfFile: scratch.path("r/messages.ndjson"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(!lines.isEmpty && stream.outputLines.sorted() == lines.sorted())
    // In the file by number, in the stream as they were final.
    #expect(lines.map(number) == Array(1...lines.count))
  }

  @Test func aReaderThatHasEnoughEndsTheRunQuietly() throws {
    let line = "{ \"$1\" \"$2\" -o - --format ndjson; echo \"status $?\" >&2; } | head -n 1"
    let outcome = try Command.shell(line, [Sniffer.url.path, try Corpus.capture("mixed-2000").path])
    #expect(outcome.outputLines.count == 1 && outcome.output.hasPrefix("{\"message\":"))
    #expect(outcome.errorLines == ["status 141"])
  }

  /// The input does not end, and yet the rows of the connections that are over are there.
  /// Who reads may have enough before all of it is written, and then nobody takes the rest.
  @Test func aPipeGetsEachRowAtOnce() throws {
    let octets = try PcapOctets(try Corpus.capture("nginx-keepalive").url).twice(after: 1200)
    let capture = try scratch.file("twice.pcap", octets)
    let line = """
      mkfifo "$3/in" "$3/out" && exec 3<>"$3/in" || exit 99
      "$1" - -o - --format ndjson <"$3/in" >"$3/out" 3>&- &
      running=$!
      timeout 60 head -n 30 <"$3/out" >"$3/rows" 3>&- &
      reader=$!
      cat "$2" >&3 &
      feeder=$!
      wait $reader
      kill -9 $running $feeder
      cat "$3/rows"
      """
    let outcome = try Command.shell(line, [Sniffer.url.path, capture.path, scratch.url.path])
    #expect(outcome.outputLines.count == 30, "\(outcome.error)")
    #expect(outcome.outputLines.allSatisfy { $0.hasPrefix("{\"message\":") && $0.hasSuffix("}") })
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
  func fullStandardOutput() throws {
    let outcome = try Sniffer.run(
      [try Corpus.capture("nginx-keepalive").path, "-o", "-", "--format", "ndjson"],
      output: URL(fileURLWithPath: "/dev/full"))
    #expect(outcome.status == 1)
    #expect(outcome.errorLines == ["sniffer: standard output: cannot write: No space left on device"])
  }

  /// What was in the file that the shell appends to is not ours to cut off.
  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a small file system"))
  func aFullDiskLeavesWhatWasThereBefore() throws {
    let line = """
      mount -t tmpfs -o size=64k tmpfs "$3" || exit 99
      head -c 40000 /dev/zero >"$3/log"
      "$1" "$2" -o - --format ndjson >>"$3/log"; status=$?
      head -c 40000 "$3/log" | cmp -n 40000 - /dev/zero && exit $status
      """
    let outcome = try Command.run(
      try #require(Environment.tool("unshare")),
      ["-m", "/bin/sh", "-c", line, "sh", Sniffer.url.path, try Corpus.capture("mixed-2000").path, scratch.url.path])
    #expect(outcome.status == 1)
    #expect(outcome.errorLines == ["sniffer: standard output: cannot write: No space left on device"])
  }

  @Test(arguments: [[], ["--format", "csv"], ["--format", "ndjson,csv"], ["--format", "sqlite"]])
  func noOtherFormatGoesThere(_ options: [String]) throws {
    let outcome = try Sniffer.run([try Corpus.capture("nginx-keepalive").path, "-o", "-"] + options)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.error.contains("--output - needs --format ndjson"))
  }

  private func number(_ line: String) -> Int { Int(line.dropFirst(11).prefix { $0 != "," }) ?? 0 }
}
