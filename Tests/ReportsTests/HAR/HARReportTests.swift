import ContentCodings
import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// The archive beyond what captures show: limits, order, what is left out.
@Suite struct HARReportTests {
  private let folder = TemporaryFolder()

  private func archive(
    _ packets: [TestPacket], _ content: Set<HARContent> = Set(HARContent.allCases), limits: HARLimits = HARLimits(),
    memoryLimit: Int = OrderedRows.memoryLimit, redaction: Redaction? = nil
  ) throws -> [[String: Any]] {
    let report = try HARReport(
      folder: folder.path, options: HAROptions(content: content, creatorVersion: "1"), redaction: redaction,
      limits: limits, memoryLimit: memoryLimit)
    var pipeline = Pipeline(decoders: SystemContentDecoders(), observer: report.observer, sink: report)
    for packet in packets { try packet.octets.withOctets { try pipeline.process(packet.facts, $0) } }
    try pipeline.finishConnections()
    try report.finish(pipeline.totals)
    #expect(folder.names == ["report.har"], "no temporary file stays")
    return try entries()
  }

  private func entries() throws -> [[String: Any]] {
    let value = try JSONSerialization.jsonObject(with: Data(folder.text("report.har").utf8))
    let log = try #require((value as? [String: Any])?["log"] as? [String: Any])
    return try #require(log["entries"] as? [[String: Any]])
  }

  private func member(_ entry: [String: Any], _ path: String...) -> Any? {
    path.reduce(entry as Any?) { ($0 as? [String: Any])?[$1] }
  }

  private static func exchange(body: [UInt8], port: UInt16 = 40_000) -> [TestPacket] {
    var dialogue = Dialogue()
    dialogue.client.port = port
    dialogue.open()
    dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: a.test\r\nX-1: 1\r\nX-2: 2\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
    for start in stride(from: 0, to: body.count, by: 1000) {
      dialogue.send(.server, Array(body[start..<min(start + 1000, body.count)]))
    }
    dialogue.close()
    return dialogue.packets()
  }

  @Test func aBodyBeyondItsLimitIsCutAndSaysSo() throws {
    var limits = HARLimits()
    limits.bodyLength = 1500
    // Two octets each: the limit is in the middle of none, 1501 would be.
    let body = Array(String(repeating: "\u{e9}", count: 2000).utf8)
    for (length, kept) in [(1500, 1500), (1501, 1500)] {
      limits.bodyLength = length
      let entry = try #require(try archive(Self.exchange(body: body), limits: limits).first)
      #expect(member(entry, "response", "content", "text") as? String == String(repeating: "\u{e9}", count: kept / 2))
      #expect(member(entry, "response", "content", "_wireTextBytes") as? Int == kept)
      #expect(member(entry, "response", "content", "size") as? Int == 4000)
      #expect(
        member(entry, "response", "content", "comment") as? String == "The text is the first \(kept) of 4000 bytes.")
    }
  }

  @Test func allBodiesTogetherStayWithinTheirLimit() throws {
    var limits = HARLimits()
    limits.fileBodyLength = 250
    var packets: [TestPacket] = []
    for port in UInt16(40_001)...40_004 {
      packets += Self.exchange(body: Array(repeating: 0x61, count: 100), port: port)
    }
    let texts = try archive(packets, limits: limits).map { member($0, "response", "content", "text") as? String ?? "" }
    #expect(texts.map(\.count) == [100, 100, 50, 0])
  }

  @Test func fieldsBeyondTheirLimitsAreLeftOutAndItIsSaid() throws {
    var limits = HARLimits()
    limits.fieldCount = 2
    let entry = try #require(try archive(Self.exchange(body: []), limits: limits).first)
    #expect((member(entry, "request", "headers") as? [Any])?.count == 2)
    #expect(member(entry, "request", "_wireHeadersCut") as? Bool == true)
    #expect(member(entry, "response", "_wireHeadersCut") == nil)
    limits = HARLimits()
    limits.heldLength = 0
    let other = try #require(try archive(Self.exchange(body: [0x61]), limits: limits).first)
    #expect((member(other, "request", "headers") as? [Any])?.isEmpty == true)
    #expect(member(other, "request", "headersSize") as? Int == 49, "figures are never cut")
  }

  /// What is kept counts with the room that an array takes, until the row of its message is written.
  @Test func keptPartsCount() {
    let gathering = HARContentObserver([.headers, .bodies])
    #expect(gathering.memory == 0)
    Array("GET / HTTP/1.1".utf8).withOctets { gathering.startLine($0, of: 1, kind: .request) }
    Array("Host: a.test".utf8).withOctets { gathering.fieldLine($0, name: 0..<4, value: 6..<12, of: 1) }
    let empty = gathering.memory
    #expect(empty > 26)
    for _ in 0..<5 { [UInt8](repeating: 0x61, count: 1000).withOctets { gathering.decodedContent($0, of: 1) } }
    #expect(gathering.memory - empty >= 8192)
    gathering.end(of: 1, decodedLength: 5000)
    #expect(gathering.take(1)?.body.count == 5000)
    #expect(gathering.memory == 0)
  }

  @Test func contentThatIsNotKnownToBeGoodIsLeftOut() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly the start")
    let entry = try #require(try archive(dialogue.packets()).first)
    #expect(member(entry, "response", "content", "text") == nil)
    #expect(member(entry, "response", "content", "size") as? Int == -1)
    #expect(member(entry, "response", "bodySize") as? Int == -1)
    #expect((member(entry, "response", "content", "comment") as? String)?.contains("not seen whole") == true)
  }

  @Test func aRedactionLeavesContentOut() throws {
    let report = try HARReport(
      folder: folder.path, options: HAROptions(content: [.bodies, .headers]),
      redaction: Redaction { _ in [1, 2, 3, 4] })
    #expect(report.observer == nil)
  }

  @Test func withoutContentNothingIsGathered() throws {
    #expect(try HARReport(folder: folder.path).observer == nil)
  }

  /// Exchanges of many connections that end in any order, with next to no memory for those that wait.
  @Test func entriesAreInOrderHoweverLittleMemoryThereIs() throws {
    var dialogues: [Dialogue] = []
    for index in 0..<200 {
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(20_000 + index)
      dialogue.open()
      dialogue.send(.client, "GET /\(index) HTTP/1.1\r\nHost: a.test\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
      dialogues.append(dialogue)
    }
    let opened = dialogues.flatMap { $0.packets() }
    let closed = dialogues.reversed().flatMap { dialogue in
      var dialogue = dialogue
      dialogue.segments = []
      dialogue.close()
      return dialogue.packets()
    }
    let entries = try archive(opened + closed, memoryLimit: 4096)
    #expect(entries.map { member($0, "request", "_wireExchange") as? Int } == Array(1...200))
    #expect(entries.map { member($0, "request", "url") as? String } == (0..<200).map { "http://a.test/\($0)" })
    for entry in entries {
      #expect(member(entry, "response", "_wireInterim", "_wireResponses") as? Int == 1)
      #expect(member(entry, "response", "_wireInterim", "_wireStatuses") as? [Int] == [103])
    }
  }
}
