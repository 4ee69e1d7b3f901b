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

  /// A block of secrets (pcapng, type 10) or nothing before or behind the packets of a capture.
  private func block(_ secrets: Data) -> Data {
    func number(_ value: Int) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }) }
    let padding = Data(repeating: 0, count: -secrets.count & 3)
    let length = 20 + secrets.count + padding.count
    return number(10) + number(length) + number(0x544c_534b) + number(secrets.count) + secrets + padding
      + number(length)
  }

  /// The first secrets of a stream open nothing of what came before them. The summary says it, and what to do. By its name the same capture
  /// is opened.
  @Test func secretsOfACaptureBehindItsPackets() throws {
    let octets = try Data(contentsOf: Corpus.folder.appendingPathComponent("http2-tls.pcapng"))
    // The corpus has the secrets before the packets: they are taken out, and put behind them.
    var (packets, secrets) = (Data(), Data())
    var offset = octets.startIndex
    while offset + 12 <= octets.endIndex {
      let length = octets[(offset + 4)..<(offset + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      try #require(length >= 12 && offset + length <= octets.endIndex)
      let isSecret = octets[offset] == 10 && octets[offset + 1] == 0
      if isSecret {
        let count = octets[(offset + 12)..<(offset + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
        secrets += octets[(offset + 16)..<(offset + 16 + count)]
      } else {
        packets += octets[offset..<(offset + length)]
      }
      offset += length
    }
    try #require(!secrets.isEmpty)
    let file = try scratch.file("late.pcapng", Array(packets + block(secrets)))
    let byName = try Sniffer.run([file.path])
    #expect(byName.status == 0 && !byName.output.contains("behind"))
    let piped = try Command.shell("\"$1\" - < \"$2\"", [Sniffer.url.path, file.path])
    #expect(piped.output.contains("behind its packets: give the capture by its name"), "\(piped.output)")
    #expect(piped.output.contains("none used; they came behind their packets; 0 of "), "\(piped.output)")
  }
}
