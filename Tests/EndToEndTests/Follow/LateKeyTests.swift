import Foundation
import TestSupport
import Testing

/// A key log that is written while a capture comes through a pipe.
@Suite struct LateKeyTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func rows(_ folder: URL) throws -> [String] {
    try Report(folder: folder).messages.rows.map { row in
      ["connection", "type", "scheme", "host", "path", "status", "message_bytes", "tls_bytes", "exactness", "flags"]
        .map { row[$0] }.joined(separator: " ")
    }
    // Messages that waited have later numbers.
    .sorted()
  }

  /// Half of the capture comes before the log has a line: the messages are the same as with a log that was whole before.
  @Test func keysBehindTheirPackets() throws {
    let capture = Corpus.folder.appendingPathComponent("proxy.pcap").path
    let keys = Corpus.folder.appendingPathComponent("proxy.keys").path
    let (whole, piped) = (scratch.url.appendingPathComponent("whole"), scratch.url.appendingPathComponent("piped"))
    let before = try Sniffer.run([capture, "--keys", keys, "-o", whole.path])
    #expect(before.status == 0, "\(before.error)")
    let log = try scratch.file("growing.keys")
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
    let run = try RunningCommand(
      URL(fileURLWithPath: "/bin/sh"),
      [
        "-c", "exec \"$1\" - --keys \"$2\" -o \"$3\" --log-level info < \"$4\"", "sh", Sniffer.url.path, log.path,
        piped.path, fifo,
      ])
    let octets = try Data(contentsOf: URL(fileURLWithPath: capture))
    try pipe.write(contentsOf: octets.dropLast(3000))
    #expect(eventually { run.error.contains("[Sniffer] reading") || !run.isRunning } && run.waits())
    try Data(contentsOf: URL(fileURLWithPath: keys)).write(to: log)
    try pipe.write(contentsOf: octets.suffix(3000))
    try pipe.close()
    let outcome = try run.wait()
    #expect(outcome.status == 0, "\(outcome.error)")
    let expected = try rows(whole)
    #expect(expected.count { $0.contains("https") } == 4)
    #expect(try rows(piped) == expected)
    #expect(outcome.outputLines.last == before.outputLines.last)
  }
}
