import HTTPReassembly
import TestSupport
import Testing

/// TLS 1.3 whose ServerHello was not captured. The client's random names the secrets, and a record that opens tells the suite.
@Suite struct LostServerHelloTests {
  /// The packets of a server's handshake that are lost.
  private enum Lost: CaseIterable {
    /// The ServerHello alone.
    case hello
    /// The ServerHello and the start of the encrypted handshake.
    case helloAndMore
    /// The whole of the server's handshake.
    case flight
    /// The server's handshake and its first records of data.
    case flightAndData
  }

  /// Some exchanges of HTTP/1 or HTTP/2, once without packets of the server's handshake.
  private func capture(
    _ lost: Lost?, isHTTP2: Bool, version: UInt16 = 0x0304, secrets: ((String) -> String)? = nil
  ) -> Analysis {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: version, seed: 9)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    let hello = writer.serverHello()
    if version == 0x0304 {
      let flight = writer.serverFlight(certificate: 2000)
      dialogue.send(.server, hello + TLSWriter.changeCipherSpec, isCaptured: lost == nil)
      dialogue.send(.server, Array(flight[..<1200]), isCaptured: lost == nil || lost == .hello)
      dialogue.send(.server, Array(flight[1200...]), isCaptured: lost == nil || lost == .hello || lost == .helloAndMore)
      let data = isHTTP2 ? writer.data(.server, HTTP2Writer.settings()) : writer.ticket()
      dialogue.send(.server, data, isCaptured: lost != .flightAndData)
      dialogue.send(.client, TLSWriter.changeCipherSpec + writer.clientFinish())
    } else {
      dialogue.send(.server, hello + TLSWriter.record(22, TLSWriter.message(14, [])), isCaptured: lost == nil)
      writer.startMaster()
      let exchange = TLSWriter.record(22, TLSWriter.message(16, [32] + [UInt8](repeating: 7, count: 32)))
      dialogue.send(.client, exchange + writer.finish(.client))
      dialogue.send(.server, writer.finish(.server))
    }
    var (client, server) = (HTTP2Writer(), HTTP2Writer())
    if isHTTP2 { dialogue.send(.client, writer.data(.client, HTTP2Writer.preface + HTTP2Writer.settings())) }
    for number in 0..<6 {
      let stream = UInt32(2 * number + 1)
      let request =
        isHTTP2
        ? HTTP2Writer.headers(stream, client.block(HTTP2Writer.request("/\(number)")), ends: true)
        : Array("GET /\(number) HTTP/1.1\r\nHost: h.example\r\n\r\n".utf8)
      dialogue.send(.client, writer.data(.client, request))
      let response =
        isHTTP2
        ? HTTP2Writer.headers(stream, server.block([(":status", "200"), ("n", "\(number)")]))
          + HTTP2Writer.data(stream, Array("content \(number)".utf8), ends: true)
        : Array(HTTP.ok("content \(number)").utf8)
      dialogue.send(.server, writer.data(.server, response))
    }
    dialogue.close()
    let log = secrets.map { $0(writer.log) } ?? writer.log
    return Analysis(dialogue.packets(), secrets: Array(log.utf8))
  }

  private func words(_ message: SeenMessage) -> String {
    "\(message.kind) \(message.method) \(message.host) \(message.path) \(message.status) \(message.octets)"
  }

  @Test(arguments: [false, true])
  func messagesAreThoseOfTheWholeCapture(_ isHTTP2: Bool) throws {
    let whole = capture(nil, isHTTP2: isHTTP2)
    #expect(whole.violations == [] && whole.messages.count == 12)
    #expect(whole.messages.allSatisfy { $0.exactness == .exact && $0.pairing == .exact })
    for lost in Lost.allCases {
      let found = capture(lost, isHTTP2: isHTTP2)
      #expect(found.violations == [], "\(lost)")
      #expect(found.requests.map(words) == whole.requests.map(words), "\(lost)")
      #expect(found.requests.allSatisfy { $0.exactness == .exact }, "\(lost)")
      if lost == .flightAndData {
        // The lost record may have been a message.
        #expect(Set(found.responses.map(words)).isSubset(of: whole.responses.map(words)) && found.responses.count >= 5)
      } else {
        #expect(found.responses.map(words) == whole.responses.map(words), "\(lost)")
        #expect(found.messages.allSatisfy { $0.exactness == .exact }, "\(lost)")
      }
      let security = try #require(found.connections.first?.security)
      #expect(security.versionName == "1.3" && security.suiteName == "TLS_CHACHA20_POLY1305_SHA256", "\(lost)")
      // Only the ServerHello tells this.
      #expect(security.isResumed == nil, "\(lost)")
      #expect(security.opening != .no && security.opening != .none, "\(lost)")
    }
  }

  /// Without secrets of this connection, and with secrets that are not right, nothing is opened and nothing is said of the suite.
  @Test func otherSecretsOpenNothing() throws {
    for change: (String) -> String in [
      { _ in "" },
      { log in
        // The last digit of each secret is another one.
        log.split(separator: "\n").map { $0.dropLast() + ($0.hasSuffix("0") ? "1" : "0") + "\n" }.joined()
      },
    ] {
      let found = capture(.helloAndMore, isHTTP2: true, secrets: change)
      #expect(found.violations == [] && found.messages.isEmpty)
      let security = try #require(found.connections.first?.security)
      #expect(security.version == 0 && security.suite == nil && security.opening == .no)
    }
  }

  /// Keys of TLS 1.2 follow from the server's random, too.
  @Test func earlierVersionsStayClosed() throws {
    #expect(capture(nil, isHTTP2: false, version: 0x0303).messages.count == 12)
    let found = capture(.hello, isHTTP2: false, version: 0x0303)
    #expect(found.violations == [] && found.messages.isEmpty)
    let security = try #require(found.connections.first?.security)
    #expect(security.version == 0 && security.suite == nil && security.opening == .no)
  }

  /// The client alone was captured: its records tell the suite.
  @Test func theClientAlone() throws {
    var dialogue = Dialogue.opened()
    var writer = TLSWriter(version: 0x0304, seed: 4)
    dialogue.send(.client, writer.clientHello(host: "h.example"))
    dialogue.send(.server, writer.serverHello() + writer.serverFlight())
    dialogue.send(.client, TLSWriter.changeCipherSpec + writer.clientFinish())
    for number in 0..<3 {
      dialogue.send(.client, writer.data(.client, Array("GET /\(number) HTTP/1.1\r\nHost: h.example\r\n\r\n".utf8)))
      dialogue.send(.server, writer.data(.server, Array(HTTP.ok("\(number)").utf8)))
    }
    dialogue.close()
    let client = dialogue.segments.filter { $0.source == dialogue.client }
    let found = Analysis(client.map { $0.packet() }, secrets: Array(writer.log.utf8))
    #expect(found.violations == [])
    #expect(found.messages.map(\.path) == ["/0", "/1", "/2"])
    #expect(found.connections.first?.security?.suiteName == "TLS_CHACHA20_POLY1305_SHA256")
  }
}
