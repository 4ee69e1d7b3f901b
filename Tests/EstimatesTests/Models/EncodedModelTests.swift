import Estimates
import HTTPReassembly
import TestSupport
import Testing

/// What each model says of messages on HTTP/2: figures of text that no wire carried, or octets of the wire.
@Suite struct EncodedModelTests {
  private let line = "GET /a%20b/?q=1 HTTP/1.1\r\n"
  private let fields = "host: h.example\r\ncookie: s=1; t=2\r\nte: trailers\r\n"
  private let answer = "content-length: 2\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-type: text/plain\r\n"

  private func request(_ name: ModelName, _ number: Int = 0) -> PartLengths? {
    name.model().request(SeenRequest(HTTP2Samples.request(number), ModelAssumptions()))
  }

  private func response(_ name: ModelName, _ number: Int = 0) -> PartLengths? {
    name.model().response(SeenResponse(HTTP2Samples.response(number), ModelAssumptions()))
  }

  @Test func textIsCountedAsIfItHadBeenSent() throws {
    #expect(HTTP2Samples.messages.allSatisfy { $0.isWhole })
    #expect(request(.okHttp) == PartLengths(header: (fields + "Connection: Keep-Alive\r\n").utf8.count))
    #expect(
      request(.okHttp, 2)
        == PartLengths(
          header: "host: h.example\r\nConnection: Keep-Alive\r\nTransfer-Encoding: chunked\r\n".utf8.count, body: 5))
    #expect(response(.okHttp) == PartLengths(header: answer.utf8.count, body: 2))
    #expect(
      request(.firefoxHAR)
        == PartLengths(
          header: (line + "host: h.example\r\ncookie: s=1; t=2\r\nConnection: keep-alive\r\n\r\n").utf8.count))
    let firefox =
      "HTTP/2 200 \r\ncontent-length: 2\r\nset-cookie: a=1\nb=2\r\ncontent-type: text/plain\r\nx-firefox-spdy: h2\r\n\r\n"
    #expect(response(.firefoxHAR) == PartLengths(header: firefox.utf8.count, body: firefox.utf8.count + 2))
    #expect(request(.mitmproxyHAR) == PartLengths(header: 7 + 12 * 2 + "cookies=1; t=2tetrailers".utf8.count))
    #expect(request(.trafficProbe) == PartLengths(line: line.utf8.count, header: fields.utf8.count + 2))
    #expect(
      response(.trafficProbe)
        == PartLengths(line: "HTTP/1.1 200 OK\r\n".utf8.count, header: answer.utf8.count + 2, body: 2))
    // Dogger's lines end with LF or nothing, and its path is decoded; Cookie is put back, Host is not seen.
    #expect(request(.dogger)?.line == "GET /a b HTTP/1.1\n".utf8.count)
    #expect(response(.dogger)?.line == "HTTP/1.1 200 ".utf8.count)
    // A body without a length is a stream, of which HTTPBody is nil.
    #expect(request(.hertz, 2)?.body == 0 && request(.netfox, 2)?.body == 5)
  }

  /// Firefox marks responses on HTTP/2 only. All else is the same on HTTP/3.
  @Test func firefoxHasNoMarkOnHTTP3() throws {
    var (asked, answered) = (HTTP2Samples.request(0), HTTP2Samples.response(0))
    (asked.version, answered.version) = ("HTTP/3", "HTTP/3")
    let model = ModelName.firefoxHAR.model()
    #expect(model.request(SeenRequest(asked, ModelAssumptions())) == request(.firefoxHAR))
    let seen = try #require(model.response(SeenResponse(answered, ModelAssumptions())))
    let onHTTP2 = try #require(response(.firefoxHAR))
    let mark = "x-firefox-spdy: h2\r\n".utf8.count
    #expect(seen.header == onHTTP2.header - mark && seen.body == onHTTP2.body - mark)
    #expect(
      ModelName.chromeHAR.model().response(SeenResponse(answered, ModelAssumptions())) == response(.chromeHAR))
  }

  @Test func whatCountsAtTheSocketHasTheWiresOctets() throws {
    let octets = HTTP2Samples.response(0).row.octets
    #expect(
      response(.taskMetrics)
        == PartLengths(header: octets.startLine + octets.header, body: octets.body + octets.framing))
    #expect(response(.chromeHAR) == PartLengths(body: octets.total))
    #expect(request(.chromeHAR, 2) == PartLengths(body: 5))
    // Of a redirection with content Chrome's figure may lack the content.
    #expect(response(.chromeHAR, 2) == nil)
    for name in [ModelName.taskMetrics, .chromeHAR] {
      #expect(response(name)?.total == octets.total, "\(name)")
    }
  }
}
