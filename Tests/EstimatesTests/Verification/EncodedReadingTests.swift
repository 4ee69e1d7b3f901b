import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// What readings say of messages on HTTP/2, where the wire has representations of fields and apps have text.
@Suite struct EncodedReadingTests {
  private static let line = "GET /a%20b/?q=1 HTTP/1.1\r\n"
  private static let header = "host: h.example\r\ncookie: s=1; t=2\r\nte: trailers\r\n\r\n"
  private static let answer =
    "content-length: 2\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-type: text/plain\r\n\r\n"

  @Test func textIsThatOfHTTP1() throws {
    let (first, second) = (HTTP2Samples.request(0), HTTP2Samples.request(1))
    for message in [first, second] {
      #expect(message.version == "HTTP/2" && message.isEncoded)
      #expect(message.spelledLine == Self.line.utf8.count && message.spelledHeader == Self.header.utf8.count)
      #expect(message.values(of: "cookie") == [Array("s=1; t=2".utf8)])
      #expect(message.fields.map(\.lowercasedName) == ["host", "cookie", "te"])
    }
    #expect(
      second.row.octets.header < first.row.octets.header && second.visibleOctets.header == first.visibleOctets.header)
    #expect(HTTP2Samples.response(0).spelledHeader == Self.answer.utf8.count)
  }

  /// Of every reading and every message the causes are the difference, or the reading says nothing.
  @Test func causesAddUpToTheDifference() throws {
    let messages = HTTP2Samples.messages
    #expect(messages.count == 6)
    let unsent: [[UnsentField]] = [[], [.connection], [.transferEncoding], UnsentField.allCases]
    let lines = LineReading.requests + LineReading.responses
    let headers = HeaderForm.all.flatMap { form in
      unsent.flatMap { unsent in
        [[], ["host", "te"], ["set-cookie"]].flatMap { unseen in
          [nil, .request(.path, .crlf, .short), .status(.asSent, .crlf), .encoded].flatMap { line in
            [false, true].map { pseudo in
              HeaderReading(
                form: form, folds: .lineFeed, line: line, countsPseudoFields: pseudo, unsent: unsent, unseen: unseen)
            }
          }
        }
      }
    }
    var checked = 0
    for message in messages {
      let octets = message.row.octets
      checked += expectCausesAddUp(in: message, lines: lines, headers: headers)
      for body in BodyReading.allCases {
        guard let figure = body.figure(of: message) else { continue }
        #expect(figure == octets.body + body.causes(of: message).octets)
        for header in headers.prefix(400) {
          let whole = WholeReading(line: .encoded, header: header, body: body)
          guard let figure = whole.figure(of: message) else { continue }
          #expect(figure == octets.total + whole.causes(of: message).octets)
          checked += 1
        }
      }
    }
    #expect(checked > 4000)
  }

  /// The header of a frame has 9 octets on HTTP/2, and as few as its length needs on HTTP/3.
  @Test func framesOfHTTP3AreShorter() {
    let reading = HeaderReading(form: .encodedWithFrame)
    var message = HTTP2Samples.response(0)
    #expect(reading.figure(of: message) == message.row.octets.header + 9)
    message.version = "HTTP/3"
    for (section, length) in [(63, 2), (64, 3), (16_383, 3), (16_384, 5)] {
      message.row.octets.header = section - message.row.octets.startLine
      message.row.octets.framing = length + 4
      #expect(reading.figure(of: message) == message.row.octets.header + length)
      #expect(BodyReading.dataFrames.figure(of: message) == message.row.octets.body + 4)
    }
  }

  /// What real programs say, by their measured formulas.
  @Test func countsAsProgramsDo() throws {
    let (request, response) = (HTTP2Samples.request(0), HTTP2Samples.response(0))
    // curl: the text with HTTP/2 as the version.
    let curl = HeaderReading(form: .wire, line: .request(.asSent, .crlf, .short))
    #expect(curl.figure(of: request) == Self.line.utf8.count - 2 + Self.header.utf8.count)
    // Firefox: Connection in a request, X-Firefox-Spdy in a response, and neither te nor the second Set-Cookie as a line.
    let asked = HeaderReading(form: .wire, line: .request(.asSent, .crlf), unsent: [.connection], unseen: ["te"])
    #expect(
      asked.figure(of: request)
        == (Self.line + "host: h.example\r\ncookie: s=1; t=2\r\nconnection: keep-alive\r\n\r\n").utf8.count)
    let answered = HeaderReading(
      form: .wire, folds: .lineFeed, line: .status(.asSent, .crlf, .short), unsent: [.firefoxMark])
    let text =
      "HTTP/2 200 \r\ncontent-length: 2\r\nset-cookie: a=1\nb=2\r\ncontent-type: text/plain\r\nx-firefox-spdy: h2\r\n\r\n"
    #expect(answered.figure(of: response) == text.utf8.count)
    #expect(
      Set(answered.causes(of: response).map(\.kind)) == [
        .fieldCompression, .foldedFields, .fieldNotSent, .lineInHeader, .version,
      ])
    // OkHttp: an upload without length is made with a transfer coding.
    let upload = HeaderReading(form: .withoutEmptyLine, unsent: [.connection, .transferEncoding])
    #expect(
      upload.figure(of: HTTP2Samples.request(2))
        == "host: h.example\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n".utf8.count)
    #expect(upload.figure(of: request) == Self.header.utf8.count - 2 + "Connection: keep-alive\r\n".utf8.count)
    // Playwright: a line with the path alone, pseudo-header fields as fields, no empty line.
    let playwright = HeaderReading(
      form: .withoutEmptyLine, line: .request(.path, .crlf), countsPseudoFields: true)
    let list =
      "GET /a%20b/ HTTP/1.1\r\n:method: GET\r\n:path: /a%20b/?q=1\r\n:scheme: http\r\n:authority: h.example\r\n"
    #expect(playwright.figure(of: request) == (list + "cookie: s=1; t=2\r\nte: trailers\r\n").utf8.count)
    // Chrome: everything as the wire has it, but trailer fields.
    let chrome = WholeReading(line: .encoded, header: HeaderReading(form: .encoded), body: .framed)
    #expect(chrome.figure(of: response) == response.row.octets.total && chrome.causes(of: response) == [])
    let moved = HTTP2Samples.response(2)
    #expect(chrome.figure(of: moved) == moved.row.octets.total - moved.row.octets.trailer)
    #expect(chrome.figure(of: WireSamples.everything[0]) == nil)
  }

  /// Frame headers of a body that a tool counts with it, and those of its fields.
  @Test func framesAreCountedWithWhatTheyCarry() throws {
    let request = HTTP2Samples.request(2)
    #expect(request.row.octets.framing == 9 + 9 + 1 + 3)
    #expect(BodyReading.dataFrames.figure(of: request) == 5 + 9 + 1 + 3)
    #expect(BodyReading.dataFrames.causes(of: request) == [Cause(.frameHeaders, 13)])
    let framed = HeaderReading(form: .encodedWithFrame, line: .encoded)
    #expect(framed.figure(of: request) == request.row.octets.startLine + request.row.octets.header + 9)
    #expect(BodyReading.framed.causes(of: request) == [Cause(.frameHeaders, 22)])
  }

  /// Pseudo-header fields stand for Host: a program that lists them does not leave it out once more.
  @Test func theHostIsLeftOutOnce() throws {
    let request = HTTP2Samples.request(0)
    let listed = HeaderReading(form: .wire, countsPseudoFields: true)
    let unseen = HeaderReading(form: .wire, countsPseudoFields: true, unseen: ["host"])
    #expect(listed.figure(of: request) == unseen.figure(of: request))
  }

  /// A sum does not tell a shorter version, an LF for CR LF and a missing empty line from a form with five octets less.
  @Test func severalConstantsAreDearerThanAForm() {
    func whole(_ line: LineReading, _ form: HeaderForm) -> WholeReading {
      WholeReading(line: line, header: HeaderReading(form: form), body: .transferred)
    }
    let own = whole(.plain(.request), HeaderForm(perField: 4, base: -3))
    #expect(own.isUnnamed && own.cost < whole(.request(.asSent, .lineFeed, .short), .withoutEmptyLine).cost)
    // A form that all lines share is one assumption.
    #expect(whole(.request(.asSent, .lineFeed), .lineFeedWithEmptyLine).cost < own.cost)
  }

  /// A sum that is two octets short lacks the empty line, the start-line's end or a part of the version: its formula is known.
  @Test func twoOctetsOfASumHaveNoName() throws {
    let request = HTTP2Samples.request(0)
    let whole = WholeReading(
      line: .plain(.request), header: HeaderReading(form: .withoutEmptyLine), body: .transferred)
    let kinds = whole.causes(of: request).map(\.kind)
    #expect(kinds.contains(.ownForm) && !kinds.contains(.emptyLine))
    #expect(whole.description.contains("names and values and 4 bytes a field (S + 4n)"))
    // A line that is not counted has no end, and no version.
    let fields = WholeReading(line: .nothing, header: HeaderReading(form: .withoutEmptyLine), body: .transferred)
    #expect(fields.causes(of: request).map(\.kind).contains(.emptyLine))
    #expect(
      whole.cost
        < WholeReading(line: .request(.asSent, .crlf, .short), header: .plain(.request), body: .transferred).cost)
  }

  @Test("the search finds each program's reading among the readings of its figures")
  func search() throws {
    let request = HTTP2Samples.request(0)
    for reading in [
      HeaderReading(form: .wire, line: .request(.asSent, .crlf, .short)),
      HeaderReading(form: .wire, line: .request(.asSent, .crlf), unsent: [.connection], unseen: ["te"]),
      HeaderReading(form: .withoutEmptyLine, line: .request(.path, .crlf), countsPseudoFields: true),
      HeaderReading(form: .printedList, unseen: ["host"]), HeaderReading(form: .encoded, line: .encoded),
    ] {
      let figure = try #require(reading.figure(of: request))
      #expect(HeaderReadingSearch(request).readings(giving: figure).contains(reading), "\(reading)")
    }
  }
}
