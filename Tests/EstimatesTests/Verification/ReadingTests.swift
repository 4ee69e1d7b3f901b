import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// What a reading says an app counted, and why that differs from the wire.
@Suite struct ReadingTests {
  private var lines: [LineReading] { LineReading.requests + LineReading.responses }
  private var headers: [HeaderReading] {
    HeaderForm.all.flatMap { form in
      Folding.allCases.flatMap { folds in
        [[], ["host"], ["cookie", "host"], ["set-cookie"], ["transfer-encoding", "x-long"], [""]].flatMap { unseen in
          [nil, .request(.path, .crlf), .status(.asSent, .crlf)].map { line in
            HeaderReading(form: form, folds: folds, line: line, unseen: unseen)
          }
        }
      }
    } + [.nothing, HeaderReading(form: .wire, namesIdentity: true)]
  }

  /// The one thing that must always hold: causes add up.
  @Test func causesAddUpToTheDifference() throws {
    let messages = WireSamples.everything
    #expect(messages.count == 13)
    var checked = 0
    for message in messages {
      let octets = message.row.octets
      checked += expectCausesAddUp(in: message, lines: lines, headers: headers)
      for reading in BodyReading.allCases {
        guard let figure = reading.figure(of: message) else { continue }
        #expect(figure == octets.body + reading.causes(of: message).octets)
        checked += 1
      }
      for line in lines.prefix(4) {
        for body in BodyReading.allCases {
          let reading = WholeReading(line: line, header: HeaderReading(form: .lineFeed, unseen: ["host"]), body: body)
          guard let figure = reading.figure(of: message) else { continue }
          #expect(figure == octets.total + reading.causes(of: message).octets)
          checked += 1
        }
      }
    }
    #expect(checked > 2900)
  }

  /// The figures themselves, counted by hand.
  @Test func countsAsTheAppWould() throws {
    let message = try #require(WireSamples.everything.first)
    // GET /a%20b/?q=%41&r=2 HTTP/1.1: 30 octets, "/a b/" instead of "/a%20b/", 10 of query with its mark.
    #expect(LineReading.request(.asSent, .crlf).figure(of: message) == 32)
    #expect(LineReading.request(.path, .lineFeed).figure(of: message) == 21)
    #expect(LineReading.request(.decodedPath, .crlf).figure(of: message) == 20)
    #expect(LineReading.request(.decodedPathWithoutSlash, .none).figure(of: message) == 17)
    #expect(LineReading.request(.decoded, .crlf).figure(of: message) == 28)
    #expect(LineReading.request(.absolute, .crlf).figure(of: message) == 32 + "http://a.example".utf8.count)
    // Host: a.example, User-Agent: x/1, Accept: */*, Cookie: s=1; t=2: names 4 + 10 + 6 + 6, values 9 + 3 + 3 + 8.
    #expect(HeaderReading(form: .wire).figure(of: message) == 49 + 4 * 4 + 2)
    #expect(HeaderReading(form: .lineFeed).figure(of: message) == 49 + 3 * 4)
    #expect(HeaderReading(form: .namesAndValues).figure(of: message) == 49)
    // {"Accept" : "*\/*", …}: S + 11n + 2 and one escaped solidus each in */* and x/1.
    #expect(HeaderReading(form: .prettyJSON).figure(of: message) == 49 + 11 * 4 + 2 + 2)
    #expect(HeaderReading(form: .compactJSON).figure(of: message) == 49 + 6 * 4 + 1 + 2)
    #expect(HeaderReading(form: .wire, unseen: ["cookie", "host"]).figure(of: message) == 67 - 15 - 2 - 16 - 2)
    let response = WireSamples.everything[1]
    // Set-Cookie: a=1 twice: 10 + 3 each; folded "Set-Cookie: a=1, b=2".
    let full = try #require(HeaderReading(form: .wire).figure(of: response))
    #expect(HeaderReading(form: .wire, folds: .comma).figure(of: response) == full - (10 + 4) + 2)
  }

  /// In a sum, octets of a line's end may be the start-line's or the fields'.
  @Test func aSumOfLineEndsIsOneForm() throws {
    let message = try #require(WireSamples.everything.dropFirst().first)
    for (form, end, isOneSum) in [
      (HeaderForm.lineFeed, LineEnd.crlf, true), (.lineFeed, .lineFeed, false), (.withoutEmptyLine, .crlf, true),
      (.lineFeedWithEmptyLine, .lineFeed, false),
    ] {
      let reading = WholeReading(line: .status(.asSent, end), header: HeaderReading(form: form), body: .transferred)
      let kinds = Set(reading.causes(of: message).map(\.kind))
      #expect(kinds.contains(.ownForm) == isOneSum && kinds.contains(.lineTerminator) != isOneSum, "\(form) \(end)")
    }
  }

  /// Whatever set of likely fields an app does not see, the search finds a reading with that figure.
  @Test func findsTheFieldsThatWereNotSeen() throws {
    let message = try #require(WireSamples.everything.first)
    let search = HeaderReadingSearch(message)
    for form in HeaderForm.texts {
      for unseen in [
        [], ["host"], ["cookie"], ["accept", "cookie", "host"], ["accept", "cookie", "host", "user-agent"],
      ] {
        let figure = try #require(HeaderReading(form: form, unseen: unseen).figure(of: message))
        let found = search.readings(giving: figure)
        #expect(found.contains { $0.form == form }, "\(form) without \(unseen)")
        for reading in found { #expect(reading.figure(of: message) == figure) }
      }
    }
  }

  @Test func aHeaderSectionMadeToBeHardIsBounded() throws {
    var request = "GET / HTTP/1.1\r\nHost: h\r\n"
    for index in 0..<60 { request += "N\(index): " + String(repeating: "x", count: 1 << (index % 12)) + "\r\n" }
    let message = try #require(WireSamples.messages([(request + "\r\n", "")]).first)
    // Of 2 to the 60th sets of fields.
    #expect((1000...HeaderReadingSearch.sumLimit).contains(HeaderReadingSearch(message).sumCount))
  }

  @Test func manyFieldsInOneGroupCostNoMoreThanTheyAre() throws {
    var request = "GET / HTTP/1.1\r\nHost: h\r\n"
    for index in 0..<70 { request += "N\(index): x\r\n" }
    let message = try #require(WireSamples.messages([(request + "\r\n", "")]).first)
    // More fields than can be told apart: only the figure 0 has a reading.
    #expect(HeaderReadingSearch(message).readings(giving: message.row.octets.header) == [])
    #expect(HeaderReadingSearch(message).readings(giving: 0) == [.nothing])
  }
}
