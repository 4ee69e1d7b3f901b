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
    let size = try #require(try FileManager.default.attributesOfItem(atPath: capture)[.size] as? Int)
    let outcome = try Command.shell(
      """
      { head -c "$2" "$1"; sleep 1; cat "$4" >> "$5"; sleep 1; tail -c +"$3" "$1"; } \\
        | "$6" - --keys "$5" -o "$7"
      """,
      [capture, "\(size - 3000)", "\(size - 2999)", keys, log.path, Sniffer.url.path, piped.path])
    #expect(outcome.status == 0, "\(outcome.error)")
    let expected = try rows(whole)
    #expect(expected.count { $0.contains("https") } == 4)
    #expect(try rows(piped) == expected)
    #expect(outcome.outputLines.last == before.outputLines.last)
  }
}
