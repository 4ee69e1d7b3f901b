import HTTPReassembly
import Testing

@testable import Estimates

/// Ways to count that give one figure for all messages of a log, and are told apart by what is likelier.
@Suite struct CancelledReadingTests {
  private static let agent = "User-Agent: x/1\r\nAccept: */*\r\n"

  /// Twelve exchanges, with the fields that are given for each number.
  private func wire(
    host: String = "api.myapp.com", request: (Int) -> String = { _ in "" }, response: (Int) -> String = { _ in "" }
  ) -> [WireMessage] {
    WireSamples.messages(
      (0..<12).map { number in
        let path = "/items/" + String(repeating: "x", count: number)
        return (
          "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(Self.agent)\(request(number))Connection: keep-alive\r\n\r\n",
          "HTTP/1.1 200 OK\r\n\(response(number))Connection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        )
      })
  }

  /// The log of an app, with the figures that `take` sets.
  private func verify(_ wire: [WireMessage], _ take: (WireMessage, inout LogEntry) -> Void) -> Verification {
    let entries = wire.enumerated().map { index, message in
      var entry = LogEntry(
        row: index + 1, kind: message.row.kind, host: message.host, path: message.path,
        time: message.row.lastTime + 1_000_000)
      take(message, &entry)
      return entry
    }
    return Verification(AppLog(dialect: .monitor, entries: entries), wire)
  }

  private func kinds(_ verification: Verification) -> Set<Cause.Kind> {
    Set(VerificationSummary(verification).causes.map(\.cause.kind))
  }

  /// Without `OK`, and without the line's end, a status-line is two octets short. The request-lines of the log tell.
  @Test(arguments: [true, false]) func aReasonPhraseMayBeTheLinesEnd(_ hasRequests: Bool) {
    let verification = verify(wire()) { message, entry in
      if message.row.kind == .response {
        entry.lineLength = LineReading.status(.asSent, .none).figure(of: message)
      } else if hasRequests {
        entry.lineLength = LineReading.request(.asSent, .none).figure(of: message)
      }
    }
    let kinds = kinds(verification)
    #expect(!kinds.contains(.reasonPhrase) && kinds.contains(.lineTerminator) == hasRequests)
    #expect((VerificationSummary(verification).unexplained == 0) == hasRequests)
  }

  /// A whole URL has as many octets more as a field that is left out, all but four.
  @Test func aWholeURLAndAFieldCancel() {
    let wire = wire(response: { $0 % 3 == 0 ? "Server: \($0)\r\n" : "" })
    let verification = verify(wire) { message, entry in
      let isRequest = message.row.kind == .request
      let reading = WholeReading(
        line: isRequest ? .request(.asSent, .none) : .status(.asSent, .none),
        header: HeaderReading(form: .withoutEmptyLine), body: .transferred)
      entry.length = reading.figure(of: message)
    }
    #expect(kinds(verification).isDisjoint(with: [.absoluteForm, .fieldNotSeen]))
    #expect(VerificationSummary(verification).unexplained == 0)
  }

  /// `http://` and a host are as long as its field, where a field has three octets more than its texts.
  @Test func aWholeURLAndItsHostCancel() {
    let wire = wire(
      request: { $0 % 2 == 0 ? "Cookie: id=\($0)\r\n" : "" },
      response: { $0 % 3 == 0 ? "Server: \($0)\r\n" : "" })
    let verification = verify(wire) { message, entry in
      let isRequest = message.row.kind == .request
      let reading = WholeReading(
        line: isRequest ? .request(.asSent, .crlf) : .status(.asSent, .crlf),
        header: HeaderReading(form: .lineFeed, unseen: isRequest ? ["cookie"] : []), body: .transferred)
      entry.length = reading.figure(of: message)
    }
    #expect(kinds(verification).isDisjoint(with: [.absoluteForm, .fieldNotSeen]))
    #expect(VerificationSummary(verification).unexplained == 0)
  }

  /// A client takes a field off some contents. Another one is as long, and is counted in the other messages.
  @Test(arguments: [HeaderForm.wire, .withoutEmptyLine]) func aFieldThatIsElsewhereCountedIsSeen(_ form: HeaderForm) {
    let wire = wire(response: { $0 % 2 == 0 ? "Content-Encoding: gzip\r\n" : "Server: \($0)\r\n" })
    let verification = verify(wire) { message, entry in
      let reading = HeaderReading(form: form, unseen: ["content-encoding"])
      entry.headerLength = reading.figure(of: message)
    }
    let causes = Set(
      VerificationSummary(verification).causes.filter { $0.cause.kind == .fieldNotSeen }.map(\.cause.detail))
    #expect(causes == ["content-encoding"] && VerificationSummary(verification).unexplained == 0)
  }

  /// `Host: api.example2.com` is as long as `Connection: keep-alive`: nothing tells which is left out.
  @Test func ofTwoFieldsNeitherIsNamed() {
    let verification = verify(wire(host: "api.example2.com")) { message, entry in
      entry.headerLength = message.row.octets.header - (message.row.kind == .request ? 24 : 0)
    }
    #expect(!kinds(verification).contains(.fieldNotSeen))
  }

  /// -1 for a body and one octet more for its coding are no body.
  @Test func aBodyOfMinusOneAndALongerCodingCancel() {
    let reading = WholeReading(
      line: .nothing, header: HeaderReading(form: .spacedJSON, namesIdentity: true), body: .expectedLength)
    let without = WholeReading(line: .nothing, header: HeaderReading(form: .spacedJSON), body: .nothing)
    #expect(reading.simpler.contains(without))
  }

  /// One row with an error has another number of fields than all others: it shows no form.
  @Test func oneRowShowsNoSlope() {
    let wire = wire(response: { $0 == 5 ? "Server: s\r\n" : "" }).filter { $0.row.kind == .response }
    let samples = wire.map { message in
      ReadingSample(
        message: message, groups: FieldGroup.groups(of: message),
        figure: message.row.octets.header + (message.fields.count == 3 ? 5 : 0))
    }
    #expect(FormFit(samples, kind: .response).headers().allSatisfy { $0.form?.perField == 0 })
  }
}
