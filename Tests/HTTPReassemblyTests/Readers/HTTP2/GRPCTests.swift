import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// gRPC over HTTP/2: messages are counted and decoded one by one, whatever frames they come in.
@Suite struct GRPCTests {
  typealias Writer = HTTP2Writer

  /// A message with its prefix.
  private static func message(_ content: [UInt8], isCoded: Bool = false) -> [UInt8] {
    [isCoded ? 1 : 0] + Writer.octets(UInt32(content.count)) + content
  }

  private static func call(
    asked: [[UInt8]], answered: [[UInt8]], encoding: String? = nil,
    trailer: [(String, String)] = [("grpc-status", "0")], pieceLength: Int = 7,
    _ configuration: Configuration = Configuration()
  ) -> Analysis {
    var (client, server) = (Writer(), Writer())
    var dialogue = HTTP2Tests.opened
    let type = [("content-type", "application/grpc+proto")] + (encoding.map { [("grpc-encoding", $0)] } ?? [])
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/pkg.Svc/Do", method: "POST", type))))
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response(200, type))))
    // Both directions stream, and frames end anywhere in messages.
    for (index, piece) in pieces(asked, pieceLength).enumerated() {
      dialogue.send(.client, Writer.data(1, piece))
      let answers = pieces(answered, pieceLength)
      if index < answers.count { dialogue.send(.server, Writer.data(1, answers[index])) }
    }
    for piece in pieces(answered, pieceLength).dropFirst(pieces(asked, pieceLength).count) {
      dialogue.send(.server, Writer.data(1, piece))
    }
    dialogue.send(.client, Writer.data(1, [], ends: true))
    dialogue.send(.server, Writer.headers(1, server.block(trailer), ends: true))
    let analysis = Analysis(
      dialogue.packets(), configuration: configuration, decoders: SystemContentDecoders(threads: 0))
    #expect(analysis.violations == [])
    return analysis
  }

  private static func pieces(_ messages: [[UInt8]], _ length: Int) -> [[UInt8]] {
    let all = messages.flatMap(\.self)
    return stride(from: 0, to: all.count, by: length).map { Array(all[$0..<min($0 + length, all.count)]) }
  }

  /// The rows of a call's messages, without their times.
  private static func rows(_ analysis: Analysis) -> [String] {
    #expect(analysis.details.map(\.number) == Array(1..<analysis.details.count + 1))
    return analysis.details.map { row in
      switch row {
      case .grpc(let row):
        let decoded = row.decodedLength.map(String.init) ?? "?"
        let numbers = "\(row.exchange) \(row.message) \(row.kind) \(row.position)"
        return "\(numbers) \(row.length) \(decoded)\(row.isCompressed ? " compressed" : "")"
      }
    }
  }

  /// Whatever pieces the messages come in, each has its row.
  @Test func rowsOfMessages() throws {
    let gzip = StoredGzip.of(Array("the same words, again and again".utf8))
    let asked = [Self.message([]), Self.message(gzip, isCoded: true), Self.message([1, 2, 3])]
    let answered = [Self.message([7]), Self.message(gzip, isCoded: true)]
    let expected = [
      "1 1 request 1 5 0", "1 1 request 2 \(gzip.count + 5) 31 compressed", "1 1 request 3 8 3", "1 2 response 1 6 1",
      "1 2 response 2 \(gzip.count + 5) 31 compressed",
    ]
    for length in 1...asked.joined().count {
      let analysis = Self.call(asked: asked, answered: answered, encoding: "gzip", pieceLength: length)
      #expect(Self.rows(analysis) == expected, "\(length)")
      for kind in [MessageKind.request, .response] {
        let rows = analysis.details.compactMap { if case .grpc(let row) = $0, row.kind == kind { row } else { nil } }
        let message = try #require(analysis.messages.first { $0.kind == kind })
        #expect(rows.reduce(0) { $0 + $1.length } == message.octets.body && rows.count == message.grpcMessages)
        #expect(rows.reduce(0) { $0 + ($1.decodedLength ?? 0) } == message.decodedBody)
        // Each has the time of its own last packet.
        #expect(rows.map(\.time) == rows.map(\.time).sorted() && rows.last?.time ?? 0 <= message.lastTime)
        if length == 1 { #expect(Set(rows.map(\.time)).count == rows.count) }
      }
    }
  }

  @Test func rowsSayNoLengthThatIsNotKnown() {
    let call = Self.call(
      asked: [Self.message([1, 2, 3], isCoded: true), Self.message([4])], answered: [], encoding: "x")
    #expect(Self.rows(call) == ["1 1 request 1 8 ? compressed", "1 1 request 2 6 1"])
    var configuration = Configuration()
    configuration.decodesContent = false
    let gzip = StoredGzip.of([1])
    let unread = Self.call(
      asked: [Self.message(gzip, isCoded: true)], answered: [], encoding: "gzip", configuration)
    #expect(Self.rows(unread) == ["1 1 request 1 \(gzip.count + 5) ? compressed"])
    // A message whose end was not seen has no row.
    let cut = Self.call(asked: [Self.message([1]), [0, 0, 0, 0, 9, 1]], answered: [])
    #expect(Self.rows(cut) == ["1 1 request 1 6 1"])
  }

  @Test func rowsBeyondTheLimitAreCounted() {
    var configuration = Configuration()
    configuration.grpcMessageLimit = 3
    let analysis = Self.call(
      asked: [[UInt8]](repeating: Self.message([1]), count: 5), answered: [Self.message([2])], configuration)
    #expect(analysis.details.count == 3)
    #expect(analysis.anomalies[.grpcMessagesFull] == 3)
    #expect(analysis.requests.first?.grpcMessages == 5 && analysis.responses.first?.grpcMessages == 1)
  }

  @Test func streamingBothWays() throws {
    let asked = (0..<5).map { Self.message([UInt8](repeating: 1, count: $0 * 3)) }
    let answered = [Self.message([1, 2, 3])]
    let analysis = Self.call(asked: asked, answered: answered)
    let request = try #require(analysis.requests.first)
    #expect(request.grpcMessages == 5 && request.grpcStatus == nil && request.decodedBody == 0 + 3 + 6 + 9 + 12)
    #expect(request.octets.body == 30 + 5 * 5)
    let response = try #require(analysis.responses.first)
    #expect(response.grpcMessages == 1 && response.grpcStatus == 0 && response.decodedBody == 3)
  }

  @Test func messagesAreDecodedOneByOne() throws {
    let text = Array("the same words, again and again".utf8)
    let gzip = StoredGzip.of(text)
    let analysis = Self.call(
      asked: [Self.message(gzip, isCoded: true), Self.message([1, 2]), Self.message(gzip, isCoded: true)], answered: [],
      encoding: "gzip", trailer: [("grpc-status", "13"), ("grpc-message", "no")])
    #expect(analysis.requests.first?.decodedBody == 2 * text.count + 2)
    #expect(analysis.requests.first?.grpcMessages == 3)
    #expect(analysis.responses.first?.grpcStatus == 13 && analysis.responses.first?.grpcMessages == 0)
  }

  @Test func codingsThatAreNotKnown() throws {
    let analysis = Self.call(asked: [Self.message([1, 2, 3], isCoded: true)], answered: [], encoding: "snappy")
    let request = try #require(analysis.requests.first)
    #expect(request.grpcMessages == 1 && request.decodedBody == nil && request.flags == .codingUnknown)
  }

  @Test func contentThatEndsWithinAMessage() throws {
    let analysis = Self.call(asked: [Self.message([1, 2, 3]), [0, 0, 0, 0, 9, 1]], answered: [])
    let request = try #require(analysis.requests.first)
    #expect(request.grpcMessages == 2 && request.decodedBody == nil && request.flags == .grpcMalformed)
    #expect(analysis.anomalies[.grpcMessageMalformed] == 1)
  }

  /// A call that fails at once has its status in the header section.
  @Test func responsesWithoutContent() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = HTTP2Tests.opened
    let type = [("content-type", "application/grpc")]
    dialogue.send(
      .client, Writer.headers(1, client.block(Writer.request("/pkg.Svc/Do", method: "POST", type)), ends: true))
    let fields = Writer.response(200, type + [("grpc-status", "12")])
    dialogue.send(.server, Writer.headers(1, server.block(fields), ends: true))
    let response = try #require(HTTP2Tests.analysis(dialogue).responses.first)
    #expect(response.grpcStatus == 12 && response.grpcMessages == 0 && response.decodedBody == 0)
  }
}
