import ContentCodings
import Foundation
import TestSupport
import Testing

@testable import HTTPReassembly

/// gRPC-Web: messages as in gRPC, and the trailer fields as the content's last frame; over HTTP/1 and HTTP/2, binary and as base64.
@Suite struct GRPCWebTests {
  private static func message(_ content: [UInt8], isCoded: Bool = false) -> [UInt8] {
    [isCoded ? 1 : 0] + HTTP2Writer.octets(UInt32(content.count)) + content
  }

  private static func trailers(_ text: String, flag: UInt8 = 0x80) -> [UInt8] {
    [flag] + HTTP2Writer.octets(UInt32(text.utf8.count)) + Array(text.utf8)
  }

  private static let status = "grpc-message: none\r\ngrpc-status:7\r\nx-more: grpc-status:9\r\n"

  /// A call over HTTP/1; the answer is chunked in pieces of some octets.
  private static func call(
    _ type: String, asked: [UInt8], answered: [UInt8], fields: String = "", piece: Int = 5, segment: Int = 11
  ) -> Analysis {
    var dialogue = Dialogue.opened()
    let request =
      "POST /pkg.Svc/Do HTTP/1.1\r\nHost: h\r\nContent-Type: \(type)\r\n\(fields)Content-Length: \(asked.count)\r\n\r\n"
    var octets = Array(request.utf8) + asked
    for start in stride(from: 0, to: octets.count, by: segment) {
      dialogue.send(.client, Array(octets[start..<min(start + segment, octets.count)]))
    }
    octets = Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n".utf8)
    for start in stride(from: 0, to: answered.count, by: piece) {
      let chunk = answered[start..<min(start + piece, answered.count)]
      octets += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    octets += Array("0\r\n\r\n".utf8)
    for start in stride(from: 0, to: octets.count, by: segment) {
      dialogue.send(.server, Array(octets[start..<min(start + segment, octets.count)]))
    }
    dialogue.close(.server)
    let analysis = Analysis(dialogue.packets(), decoders: SystemContentDecoders(threads: 0))
    #expect(analysis.violations == [])
    return analysis
  }

  private static func base64(_ octets: [UInt8]) -> [UInt8] { Array(Data(octets).base64EncodedString().utf8) }

  @Test("over HTTP/1, however it is cut", arguments: [1, 2, 5, 64, 4000], [1, 7, 1400])
  func overHTTP1(_ piece: Int, _ segment: Int) throws {
    let answered = Self.message([1, 2, 3]) + Self.message([]) + Self.message(Array(repeating: 9, count: 300))
    for type in ["application/grpc-web", "application/grpc-web+proto", "Application/GRPC-Web; charset=utf-8"] {
      let analysis = Self.call(
        type, asked: Self.message([4, 5]), answered: answered + Self.trailers(Self.status), piece: piece,
        segment: segment)
      let request = try #require(analysis.requests.first)
      #expect(
        request.grpcMessages == 1 && request.decodedBody == 2 && request.grpcStatus == nil && request.flags.isEmpty)
      let response = try #require(analysis.responses.first)
      #expect(response.grpcMessages == 3 && response.grpcStatus == 7 && response.decodedBody == 303)
      #expect(response.octets.body == 303 + 3 * 5 + 5 + Self.status.utf8.count && response.flags.isEmpty)
      #expect(response.exactness == .exact && analysis.anomalies.all.isEmpty)
    }
  }

  @Test("as base64, in one text or in several behind each other", arguments: [1, 3, 64, 65, 4000])
  func text(_ piece: Int) throws {
    let frames = [
      Self.message([1, 2, 3, 4]), Self.message([UInt8](repeating: 7, count: 200)), Self.trailers(Self.status),
    ]
    for octets in [Self.base64(frames.flatMap(\.self)), frames.flatMap { Self.base64($0) }] {
      let analysis = Self.call(
        "application/grpc-web-text+proto", asked: Self.base64(Self.message([5])), answered: octets, piece: piece)
      #expect(analysis.requests.first?.grpcMessages == 1 && analysis.requests.first?.decodedBody == 1)
      let response = try #require(analysis.responses.first)
      #expect(response.grpcMessages == 2 && response.grpcStatus == 7 && response.decodedBody == 204)
      #expect(response.flags.isEmpty && response.octets.body == octets.count)
    }
  }

  @Test func messagesAreDecodedOneByOne() throws {
    let text = Array("the same words, again and again".utf8)
    let gzip = Self.message(StoredGzip.of(text), isCoded: true)
    let analysis = Self.call(
      "application/grpc-web", asked: gzip, answered: gzip + Self.message([1]) + Self.trailers("grpc-status: 0\r\n"),
      fields: "grpc-encoding: gzip\r\n")
    #expect(
      analysis.requests.first?.decodedBody == text.count && analysis.responses.first?.decodedBody == text.count + 1)
    #expect(analysis.responses.first?.grpcStatus == 0 && analysis.responses.first?.grpcMessages == 2)
  }

  @Test func overHTTP2() throws {
    var (client, server) = (HTTP2Writer(), HTTP2Writer())
    var dialogue = HTTP2Tests.opened
    for (stream, type) in [(UInt32(1), "application/grpc-web"), (3, "application/grpc-web-text")] {
      let isText = stream == 3
      let fields = [("content-type", type)]
      let asked = Self.message([1, 2])
      let answered = Self.message([3]) + Self.trailers("grpc-status: 5")
      dialogue.send(
        .client,
        HTTP2Writer.headers(stream, client.block(HTTP2Writer.request("/pkg.Svc/Do", method: "POST", fields)))
          + HTTP2Writer.data(stream, isText ? Self.base64(asked) : asked, ends: true))
      dialogue.send(
        .server,
        HTTP2Writer.headers(stream, server.block(HTTP2Writer.response(200, fields)))
          + HTTP2Writer.data(stream, isText ? Self.base64(answered) : answered, ends: true))
    }
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.requests.map(\.grpcMessages) == [1, 1] && analysis.requests.map(\.decodedBody) == [2, 2])
    #expect(analysis.responses.map(\.grpcMessages) == [1, 1] && analysis.responses.map(\.decodedBody) == [1, 1])
    #expect(analysis.responses.map(\.grpcStatus) == [5, 5])
  }

  @Test func aCallThatFailsAtOnceHasItsStatusInTheHeader() throws {
    let analysis = Self.call(
      "application/grpc-web", asked: Self.message([1]), answered: [], fields: "grpc-status: 12\r\n")
    let response = try #require(analysis.responses.first)
    #expect(response.grpcStatus == 12 && response.grpcMessages == 0 && response.decodedBody == 0)
  }

  @Test("what is no gRPC-Web is said to be none")
  func malformed() throws {
    func response(_ type: String, _ octets: [UInt8]) throws -> SeenMessage {
      let analysis = Self.call(type, asked: [], answered: octets)
      #expect(analysis.anomalies[.grpcMessageMalformed] == 1)
      return try #require(analysis.responses.first)
    }
    let good = Self.message([1])
    for octets in [
      good + Self.trailers("grpc-status: 1") + good, good + [0x80, 0, 0, 0, 9, 1], good + [0x40, 0, 0, 0, 0],
      good + [0, 0],
      good + Self.trailers("", flag: 0x82),
    ] {
      let found = try response("application/grpc-web", octets)
      #expect(found.flags == .grpcMalformed && found.decodedBody == nil, "\(octets)")
    }
    for octets in ["AAAAAA", "AAAA!AAA", "A===", "AA=A", "=AAA"].map({ Array($0.utf8) }) {
      #expect(try response("application/grpc-web-text", octets).flags == .grpcMalformed, "\(octets)")
    }
    // A coding of the trailer frame, statuses that are no numbers, and other types.
    for text in ["grpc-status: x", "grpc-status: 123456", "grpc-status: 1 2", "grpc-status:", "xgrpc-status: 1"] {
      let analysis = Self.call("application/grpc-web", asked: [], answered: Self.trailers(text))
      #expect(analysis.responses.first?.grpcStatus == nil && analysis.responses.first?.flags.isEmpty == true, "\(text)")
    }
    let coded = Self.call("application/grpc-web", asked: [], answered: good + Self.trailers("xx", flag: 0x81))
    #expect(coded.responses.first?.grpcMessages == 1 && coded.responses.first?.grpcStatus == nil)
    for type in [
      "application/grpc-webx", "application/grpc-web-textual", "application/grpc", "application/json", "text/grpc-web",
    ] {
      let analysis = Self.call(type, asked: good, answered: good)
      #expect(analysis.responses.first?.grpcMessages == nil && analysis.responses.first?.decodedBody == 6, "\(type)")
    }
  }

  @Test func contentThatIsNotAllThere() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    let body = Self.message([UInt8](repeating: 1, count: 40)) + Self.trailers("grpc-status: 3")
    dialogue.send(
      .server,
      Array("HTTP/1.1 200 OK\r\nContent-Type: application/grpc-web\r\nContent-Length: \(body.count)\r\n\r\n".utf8))
    dialogue.send(.server, Array(body[..<20]))
    dialogue.send(.server, Array(body[20..<30]), isCaptured: false)
    dialogue.send(.server, Array(body[30...]))
    dialogue.send(.client, "GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
    dialogue.close(.client)
    let response = try #require(Analysis(dialogue.packets()).responses.first)
    #expect(response.grpcMessages == 1 && response.decodedBody == nil && response.grpcStatus == nil)
    #expect(response.exactness != .exact)
  }
}
