import Foundation
import Testing

/// What people say to servers is in no log, whatever its level, and in no error.
@Suite struct SecretTests {
  private static let secrets = ["hunter2query", "hunter2cookie", "hunter2body", "hunter2auth", "hunter2answer"]

  private let scratch: Scratch
  private let capture: String

  init() throws {
    scratch = try Scratch()
    let octets = HandMadeCapture.octets(
      request: """
        POST /login?password=hunter2query HTTP/1.1\r\nHost: example.org\r\nCookie: session=hunter2cookie\r
        Authorization: Bearer hunter2auth\r\nContent-Length: 22\r\nBad Field hunter2example\r\n\r\npassword=hunter2body!!
        """,
      response: "HTTP/1.1 200 OK\r\nSet-Cookie: id=hunter2cookie\r\nContent-Length: 13\r\n\r\nhunter2answer")
    capture = try scratch.file("secrets.pcap", octets).path
  }

  /// The start of a malformed line is shown as the example of an anomaly, but not when it may be personal.
  @Test func redactedExamples() throws {
    let outcome = try Sniffer.run([capture, "--redact", "-o", scratch.path("d")])
    #expect(outcome.status == 0 && outcome.output.contains("http_field_line_malformed"))
    #expect(!outcome.output.contains("hunter2"))
    let report = try Report(folder: URL(fileURLWithPath: scratch.path("d")))
    for (name, _) in report.files {
      #expect(!String(decoding: report.octets(name), as: UTF8.self).contains("hunter2"), "\(name)")
    }
  }

  @Test func atTheFinestLevel() throws {
    let log = try scratch.file(
      "log.csv",
      Array("host,path,type,time,length\nexample.org,/login?password=hunter2query,request,x,1\n".utf8))
    let runs = [
      [capture, "--log-level", "trace", "-o", scratch.path("a"), "--format", "csv,ndjson,sqlite,har"],
      ["models", capture, "--log-level", "trace", "-o", scratch.path("b"), "--details"],
      ["verify", capture, "--log", log.path, "--log-level", "trace", "-o", scratch.path("c")],
    ]
    for (index, arguments) in runs.enumerated() {
      let outcome = try Sniffer.run(arguments)
      // Told apart from a run that said nothing at all.
      if index < 2 { #expect(outcome.status == 0 && outcome.error.contains(" info "), "\(outcome.error)") }
      for secret in Self.secrets {
        #expect(!outcome.error.contains(secret), "\(arguments[0]) logs \(secret)")
        #expect(!outcome.output.contains(secret), "\(arguments[0]) prints \(secret)")
      }
      // The summary shows the start of what is malformed, as anomalies.csv does; the log does not.
      #expect(!outcome.error.contains("hunter2example"))
    }
  }
}
