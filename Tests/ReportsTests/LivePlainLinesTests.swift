import HTTPReassembly
import Testing

@testable import Reports

@Suite struct LivePlainLinesTests {
  @Test func aLineForEachInterval() {
    var lines = PlainLines()
    #expect(
      lines.line(emptyTotals(), at: 0, connections: 0)
        == "time=0.0 packets=0 bytes=0 packets/s=0 bytes/s=0 requests=0 messages=0 apis=0 connections=0 dropped=0 behind=0.0 top=\n"
    )
    var totals = emptyTotals()
    totals.apis = [
      api("/big", up: 5000, down: 5000, requests: 2, in: &totals.texts),
      api("/small", up: 10, down: 10, requests: 1, in: &totals.texts),
    ]
    totals.ledger = Ledger(packets: 100, original: 20_000, droppedPackets: 4)
    #expect(
      lines.line(totals, at: 2_500_000_000, connections: 3, behind: 12_399_999_999)
        == "time=2.5 packets=100 bytes=20000 packets/s=40 bytes/s=8000 requests=3 messages=6 apis=2 connections=3 "
        + "dropped=4 behind=12.3 top=api.example.com/big\n")
    totals.apis[1] = api("/small", up: 20, down: 20, requests: 1, in: &totals.texts)
    #expect(lines.line(totals, at: 3_500_000_000, connections: 3).hasSuffix(" top=api.example.com/small\n"))
    #expect(
      lines.line(totals, at: 4_500_000_000, connections: 3).hasSuffix(
        " packets/s=0 bytes/s=0 requests=3 messages=6 apis=2 connections=3 dropped=4 behind=0.0 top=\n"))
  }

  @Test func aHostileNameStaysInItsLine() {
    var totals = emptyTotals()
    totals.apis = [
      api("/\r\n\u{1b}[2J\u{202e}" + String(repeating: "日", count: 5000), up: 1, down: 1, in: &totals.texts)
    ]
    var lines = PlainLines()
    let line = lines.line(totals, at: 1_000_000_000, connections: 0)
    #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
    #expect(!line.contains("\u{202e}"))
    #expect(DisplayWidth.of(line) < 500)
  }
}
