import TestSupport
import Testing

@testable import HTTPReassembly

/// Every choice of lost packets of a small connection over HTTP/2: what rows still say is right (MEASURES §10).
@Suite struct HTTP2LossTests {
  typealias Writer = HTTP2Writer

  private static let agent = [("user-agent", "agent/1.0"), ("accept", "*/*")]

  /// Exchanges one at a time. Bit 2n of `lost` stands for the packet of request n, bit 2n + 1 for that of its response.
  private static func dialogue(_ requests: [(host: String, path: String)], lost: Int) -> Dialogue {
    var (client, server) = (Writer(), Writer())
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.server, Writer.settings() + Writer.settingsAcknowledgment)
    dialogue.send(.client, Writer.settingsAcknowledgment)
    for (number, request) in requests.enumerated() {
      let stream = UInt32(2 * number + 1)
      let fields = Writer.request(request.path, authority: request.host, agent + [("x-id", "\(1000 + number)")])
      dialogue.send(
        .client, Writer.headers(stream, client.block(fields), ends: true), isCaptured: lost >> (2 * number) & 1 == 0)
      let answer = server.block(Writer.response(number % 3 == 2 ? 404 : 200, [("server", "s"), ("x-n", "\(number)")]))
      dialogue.send(
        .server, Writer.headers(stream, answer) + Writer.data(stream, [0x78, 0x79, 0x7a], ends: true),
        isCaptured: lost >> (2 * number + 1) & 1 == 0)
    }
    dialogue.close()
    return dialogue
  }

  /// A wrong statement of a row about its message; nil if there is none.
  private static func fault(_ row: SeenMessage, _ whole: [SeenMessage]) -> String? {
    guard let truth = whole.first(where: { $0.stream == row.stream && $0.kind == row.kind }) else { return "invented" }
    if !row.host.isEmpty, row.host != truth.host { return "host \(row.host)" }
    if !row.path.isEmpty, row.path != truth.path { return "path \(row.path)" }
    if row.status > 0, row.status != truth.status { return "status \(row.status)" }
    guard row.exactness == .exact else { return nil }
    if row.octets != truth.octets { return "octets \(row.octets)" }
    if row.pairing == .exact || row.kind == .request, row.host.isEmpty || row.path.isEmpty {
      return "exact without names"
    }
    return nil
  }

  @Test func everyChoiceOfLostPackets() {
    let requests = (0..<5).map { (host: $0 == 3 ? "other.example" : "h.example", path: "/a/\($0 % 3)") }
    let whole = HTTP2Tests.analysis(Self.dialogue(requests, lost: 0)).messages
    #expect(whole.count == 10 && whole.allSatisfy { $0.exactness == .exact })
    for lost in 1..<1 << 10 {
      let analysis = HTTP2Tests.analysis(Self.dialogue(requests, lost: lost))
      for row in analysis.messages {
        let fault = Self.fault(row, whole)
        #expect(fault == nil, "\(String(lost, radix: 2)): \(row.kind) \(row.stream ?? 0): \(fault ?? "")")
      }
    }
  }

  /// Behind a lost request that inserted fields, the next one says how many there were.
  @Test(arguments: RandomCases.seeds(0..<60).map { UInt64($0) })
  func theNextRequestIsKnown(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let requests = (0..<40).map { _ in (host: "h.example", path: "/item/\(random.number(0..<30))") }
    var lost = 0
    var gone: Set<Int> = []
    for number in [random.number(12..<20), random.number(24..<31)] {
      lost |= 1 << (2 * number)
      gone.insert(number)
    }
    let rows = HTTP2Tests.analysis(Self.dialogue(requests, lost: lost)).requests
    let whole = HTTP2Tests.analysis(Self.dialogue(requests, lost: 0)).messages
    for row in rows { #expect(Self.fault(row, whole) == nil) }
    #expect(rows.count == 40 - gone.count)
    // A path that only a lost request inserted stays unknown, and the next request alone may not tell enough.
    let first = Dictionary(requests.enumerated().map { ($1.path, $0) }) { first, _ in first }
    for row in rows where row.exactness != .exact {
      let number = Int((row.stream ?? 0) / 2)
      #expect(gone.contains(number - 1) || first[requests[number].path].map { gone.contains($0) } == true, "\(number)")
    }
  }

  /// A client polls one host, and then another one. The first request to that is lost: no row has the old names.
  @Test(arguments: [2, 5, 12, 30])
  func aSwitchThatWasLost(_ polls: Int) {
    let requests = (0..<polls + 12).map { number in
      number < polls ? (host: "h.example", path: "/poll") : (host: "other.example", path: "/other")
    }
    let analysis = HTTP2Tests.analysis(Self.dialogue(requests, lost: 1 << (2 * polls)))
    let whole = HTTP2Tests.analysis(Self.dialogue(requests, lost: 0)).messages
    for row in analysis.messages { #expect(Self.fault(row, whole) == nil, "\(row.stream ?? 0) \(row.host)\(row.path)") }
  }

  /// Several packets of a long upload are lost, with whole frames of content: no request was lost, so the next ones are known.
  @Test(arguments: [2, 3, 8])
  func aLongUpload(_ lost: Int) {
    func upload(_ isCaptured: Bool) -> [SeenMessage] {
      var client = Writer()
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Writer.preface + Writer.settings())
      dialogue.send(.server, Writer.settings() + Writer.settingsAcknowledgment)
      dialogue.send(.client, Writer.settingsAcknowledgment)
      for number in 0..<30 {
        let stream = UInt32(2 * number + 1)
        let fields = Writer.request(
          "/a/\(number % 3)", authority: "h.example", Self.agent + [("x-id", "\(1000 + number)")])
        dialogue.send(.client, Writer.headers(stream, client.block(fields), ends: number != 15))
        guard number == 15 else { continue }
        for part in 0..<3 * lost {
          let content = [UInt8](repeating: 0x61, count: 1200)
          dialogue.send(.client, Writer.data(stream, content, ends: false), isCaptured: isCaptured || part % 3 != 1)
        }
        dialogue.send(.client, Writer.data(stream, [0x61], ends: true))
      }
      dialogue.close()
      return HTTP2Tests.analysis(dialogue).requests
    }
    let (whole, rows) = (upload(true), upload(false))
    #expect(rows.count == 30)
    for row in rows { #expect(Self.fault(row, whole) == nil) }
    #expect(rows.filter { $0.exactness != .exact }.map { $0.stream } == [31])
  }
}
