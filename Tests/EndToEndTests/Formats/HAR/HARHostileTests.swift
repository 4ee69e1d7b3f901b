import Foundation
import Testing

/// Whatever octets a message is made of, its HAR is valid, and says no more than it was asked to say.
@Suite struct HARHostileTests {
  private static let request =
    Array(
      "POST /users/private-42/\"<>{}\\?token=hunter2secret&q=a%20b&bad=%zz\u{202e}# HTTP/1.1\r\nHost: evil\"host</script>.test\r\n"
        .utf8) + Array("Authorization: Bearer bearersecret\r\nX-Raw: ".utf8) + [0xff, 0xfe, 0xe9, 0x01, 0x1b]
    + Array("\r\nX-Text: caf\u{e9} \u{2028}\u{2029}\u{feff}\u{1f600}\u{e0001}\r\nbroken line\r\n".utf8)
    + Array("Cookie: a=1; b=cookiesecret; ;=;c\r\nContent-Type: text/\u{7f}\\plain\r\nContent-Length: 9\r\n\r\n".utf8)
    + Array("body\0".utf8) + [0xc3, 0x28, 0x80, 0xff]

  private static let response =
    Array(
      "HTTP/1.1 299 \"Odd\" \u{2028}reason\r\nSet-Cookie: id=setsecret; Path=/; HttpOnly; Secure; Path=/x; Expires=never\r\n"
        .utf8) + Array("Location: http://other.test/?next=locationsecret\r\nContent-Length: 20\r\n\r\n".utf8)
    + Array("{\"a\":\"bodysecret\"} \n".utf8)

  private let scratch: Scratch
  private let capture: URL

  init() throws {
    scratch = try Scratch()
    capture = try scratch.file("capture.pcap", HandMadeCapture.octets(Self.request, Self.response))
  }

  @Test(
    .enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"),
    arguments: [
      nil, "headers", "queries", "bodies", "headers,queries,bodies",
    ])
  func readersTakeIt(_ content: String?) throws {
    try run(content.map { ["--har-content", $0] } ?? [])
    #expect(try HARWitness.complaints(about: scratch.url.appendingPathComponent("report")) == "")
  }

  @Test func figuresOnlyByDefault() throws {
    let text = try run([])
    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
    #expect(text.contains("private-42"))
  }

  @Test(arguments: [
    ("headers", ["bearersecret", "cookiesecret", "setsecret", "locationsecret"]), ("queries", ["hunter2secret"]),
    ("bodies", ["bodysecret"]),
  ])
  func eachPartBringsItsOwnOnly(_ content: String, _ expected: [String]) throws {
    let text = try run(["--har-content", content])
    for secret in Self.secrets { #expect(text.contains(secret) == expected.contains(secret), "\(secret)") }
  }

  @Test(.enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"))
  func redactedIsFiguresWithoutAddressesAndPaths() throws {
    let text = try run(["--redact"])
    for secret in Self.secrets + ["private-42", "203.0.113.77", "198.51.100.88"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("/users/~"))
    #expect(try HARWitness.complaints(about: scratch.url.appendingPathComponent("report")) == "")
  }

  @Test func whatWasSentCanBeHadBack() throws {
    let archive = try HARArchive(capture.path, "headers,queries,bodies")
    let entry = try #require(archive.entries.first)
    let raw = try #require(entry.request.headers.first { $0.name == "X-Raw" })
    #expect(raw.charset == "iso-8859-1")
    #expect(raw.value.unicodeScalars.map(\.value) == [0xff, 0xfe, 0xe9, 0x01, 0x1b])
    let text = try #require(entry.request.headers.first { $0.name == "X-Text" })
    #expect(text.charset == nil)
    #expect(text.value == "caf\u{e9} \u{2028}\u{2029}\u{feff}\u{1f600}\u{e0001}")
    #expect(entry.request.postData?.octets == Data("body\0".utf8) + [0xc3, 0x28, 0x80, 0xff])
    #expect(entry.response.content.octets == Data("{\"a\":\"bodysecret\"} \n".utf8))
    #expect(entry.response.content.encoding == nil)
    #expect(entry.request.queryString.map(\.name) == ["token", "q", "bad"])
    #expect(entry.request.queryString.map(\.value) == ["hunter2secret", "a%20b", "%zz\u{202e}#"])
    #expect(entry.request.cookies.map { "\($0.name)=\($0.value)" } == ["a=1", "b=cookiesecret", "c="])
    #expect(entry.response.cookies.map { "\($0.name)=\($0.value)" } == ["id=setsecret"])
    #expect(entry.response.statusText == "\"Odd\" \u{2028}reason")
    #expect(
      entry.request.url
        == "http://evil%22host%3C%2Fscript%3E.test/users/private-42/%22%3C%3E%7B%7D%5C?token=hunter2secret&q=a%20b&bad=%25zz%E2%80%AE%23"
    )
  }

  @Test(.enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"))
  func requestsAndResponsesOfTheirOwn() throws {
    for (request, response) in [
      ("GET /only HTTP/1.1\r\nHost: a.test\r\n\r\n", ""), ("", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
      (
        "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "HTTP/1.1 103 Early\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end"
      ),
      ("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"),
      ("", "HTTP/1.1 100 Continue\r\n\r\n"), ("GET /x\r\n", "simple"),
      ("GET / HTTP/1.1\r\nHost: a", ""), ("OPTIONS * HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n", "HTTP/1.1 2"),
      ("CONNECT a.test:443 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
      ("GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"),
      ("GET http://u:p@b.test:8080?q HTTP/1.1\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
    ] {
      let file = try scratch.file("one.pcap", HandMadeCapture.octets(request: request, response: response))
      for content in [[], ["--har-content", "headers,queries,bodies"]] {
        let outcome = try Sniffer.run([file.path, "--format", "csv,har", "-o", scratch.path("report")] + content)
        #expect(outcome.status == 0, "\(outcome.error)")
        let complaints = try HARWitness.complaints(about: scratch.url.appendingPathComponent("report"))
        #expect(complaints == "", "\(request) \(response)")
      }
    }
  }

  private static let secrets = [
    "hunter2secret", "bearersecret", "cookiesecret", "setsecret", "locationsecret", "bodysecret",
  ]

  @discardableResult
  private func run(_ arguments: [String]) throws -> String {
    let outcome = try Sniffer.run(arguments + [capture.path, "--format", "csv,har", "-o", scratch.path("report")])
    #expect(outcome.status == 0, "\(outcome.error)")
    let har = try Data(contentsOf: URL(fileURLWithPath: scratch.path("report/report.har")))
    return String(decoding: har, as: UTF8.self)
  }
}
