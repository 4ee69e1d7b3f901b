import Foundation
import TestSupport
import Testing

/// Clocks that are put back, and packets that were written out of order: every octet is still where it belongs.
@Suite struct TimeTests {
  private let scratch: Scratch
  private let packets: PcapOctets
  private let usual: Report

  /// What a message is made of, wherever its packets are and whenever they came.
  private static let columns = [
    "type", "method", "host", "path", "status", "start_line_bytes", "header_bytes", "body_bytes", "ip_bytes",
  ]

  init() throws {
    scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    packets = try PcapOctets(capture.url)
    usual = try FileAnalysis.of(capture).report
  }

  private func messages(_ report: Report) -> [[String]] {
    report.messages.rows.map { row in Self.columns.compactMap { row.cell($0) } }.sorted { $0.joined() < $1.joined() }
  }

  private func analyze(_ records: [[UInt8]]) throws -> Report {
    let file = try scratch.file("changed.pcap", packets.header + records.joined())
    let analysis = try FileAnalysis([file.path])
    #expect(analysis.outcome.status == 0, "\(analysis.outcome.error)")
    let report = analysis.report
    #expect(report.ledger("difference") == 0 && report.ledger("pending") == 0)
    #expect(report.ledger("original") == packets.originalLength)
    #expect(report.anomalies.rows.contains { $0["name"] == "timestamp_backwards" })
    return report
  }

  /// By an hour, in the middle; by less than a second; and to 1970.
  @Test(arguments: [3600, 1, 1_600_000_000])
  func clockThatIsPutBack(_ seconds: Int) throws {
    var records = packets.records
    for index in records.indices where index >= records.count / 2 {
      let time = (0..<4).reduce(0) { $0 | Int(records[index][$1]) << ($1 * 8) } - seconds
      for octet in 0..<4 { records[index][octet] = UInt8(truncatingIfNeeded: time >> (octet * 8)) }
    }
    #expect(try messages(analyze(records)) == messages(usual))
  }

  /// Packets of a few queues, each in its order, but not with each other: neighbours are swapped.
  @Test func packetsOutOfTimeOrder() throws {
    var records = packets.records
    // Behind the handshake of the first connection, so that it is seen to begin where it begins.
    for index in stride(from: 4, to: records.count - 1, by: 2) { records.swapAt(index, index + 1) }
    #expect(try messages(analyze(records)).count == messages(usual).count)
  }
}
