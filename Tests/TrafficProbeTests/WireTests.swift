import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The records against the octets that the server counted itself.
@Suite(
  "Estimates against the wire", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was compared"),
  .serialized)
struct WireTests {
  /// The differences that are documented, in octets of the probe's figure minus the wire's.
  struct Known {
    var requestHeader = 0
    /// Requests that the system sent again by itself.
    var repeatedRequests = 0
    /// Responses that the system shows to nobody.
    var hiddenResponses = 0
    var responseLine = 0
    var responseHeader = 0
    /// Whether the body of the response cannot be compared.
    var isBodyUnknown = false
  }

  static let known: [String: Known] = [
    // Counted decoded, because nothing tells the length before.
    "gzip in chunks": Known(isBodyUnknown: true),
    "gzip in chunks, download": Known(isBodyUnknown: true),
    // A download task has no response until it ended well.
    "cut download": Known(hiddenResponses: 1),
    // Cancelled while the rest was on its way.
    "cancelled": Known(isBodyUnknown: true),
    // "Fine" for "OK"; a second "Vary: " and its CRLF folded into ", ".
    "odd spelling": Known(responseLine: -2, responseHeader: 2 - 8),
    // The server closed the connection that had been used before: libcurl asks once more, and tells nobody.
    "no response": Known(repeatedRequests: 1),
  ]

  @Test("Each request and response, to the octet", arguments: Visit.all)
  func compare(visit: Visit) async throws {
    let server = try ProbeServer()
    let app = Probed { $0.httpCookieAcceptPolicy = .always }
    _ = try await app.session.data(from: #require(URL(string: server.base + "/cookies")))
    _ = try await visit.outcome(server.base, app.session)
    let isSent = visit.name != "GET with a body"
    let known = WireTests.known[visit.name] ?? Known()
    let isAnswered = visit.path != "/nothing" && isSent && known.hiddenResponses == 0
    let records = try await Array(app.records(count: 2 + (isAnswered ? 2 : 1)).dropFirst(2))
    let expected = try server.messages().dropFirst(2)
    let requests = records.filter { $0.kind == .request }
    let responses = records.filter { $0.kind == .response }
    let wireRequests = expected.filter { $0.type == "request" }
    let wireResponses = expected.filter { $0.type == "response" }

    if !isSent {
      #expect(wireRequests.isEmpty && responses.isEmpty)
      #expect(requests.map(\.length) == [0], "what never left costs nothing")
      return
    }
    #expect(requests.count + known.repeatedRequests == wireRequests.count)
    for (record, wire) in zip(requests, wireRequests) {
      #expect(record.lineLength == wire.line, "request-line of \(wire.raw ?? "")")
      #expect(record.headerLength - wire.header == known.requestHeader, "header of \(wire.raw ?? "")")
      #expect(record.bodyLength == wire.body)
      #expect(record.framingLength == wire.framing)
      #expect(record.length == wire.line + wire.header + wire.body + wire.framing + known.requestHeader)
      #expect(record.host == wire.host)
      #expect(record.path == wire.path)
    }
    if case .cancelled = visit.how {
      #expect(responses.count == 1 && responses.first?.unknown.contains("cut") == true)
    } else {
      #expect(responses.count == wireResponses.count - known.hiddenResponses)
    }
    for (record, wire) in zip(responses, wireResponses) {
      #expect(record.status == wire.status)
      #expect(record.lineLength - wire.line == known.responseLine)
      #expect(record.headerLength - wire.header == known.responseHeader)
      if !known.isBodyUnknown { #expect(record.bodyLength == wire.body) }
      #expect(record.framingLength == (wire.framing > 0 ? nil : 0))
      // Compressed again, as zlib does it at the same level; the decoded octets would be several times as many.
      if visit.path.hasPrefix("/gzip-chunked") {
        #expect(record.unknown == "framing coding" && abs(record.bodyLength - wire.body) < 20 + wire.body / 1000)
      }
    }
    #expect(records.map(\.hop) == records.indices.map { $0 / 2 })
  }

  @Test("Fifty at once")
  func concurrent() async throws {
    let server = try ProbeServer()
    let app = Probed { $0.httpMaximumConnectionsPerHost = 50 }
    let (base, session) = (server.base, app.session)
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      for index in 0..<50 {
        group.addTask {
          try await Visit(name: "", method: "POST", path: "/echo/\(index)", body: Data(count: index * 100))
            .outcome(base, session)
        }
      }
      for try await outcome in group { #expect(outcome.status == 200) }
    }
    let wire = try server.messages()
    let records = try await app.records(count: 100)
    #expect(records.count == 100 && wire.count == 100)
    for message in wire {
      let record = try #require(records.first { $0.path == message.path && $0.kind.rawValue == message.type })
      #expect(record.length == message.line + message.header + message.body + message.framing)
    }
    #expect(Set(records.map(\.exchange)).count == 50)
  }

  @Test("A refused connection costs nothing, and says why")
  func refused() async throws {
    let app = Probed()
    let outcome = try await Visit(name: "", path: "/x").outcome("http://127.0.0.1:1", app.session)
    #expect(outcome.error == "NSURLErrorDomain -1004")
    let records = try await app.records(count: 1)
    #expect(records.map(\.kind) == [.request] && records[0].length == 0)
    #expect(records[0].error == "NSURLErrorDomain -1004")
  }

  @Test("Fields of the configuration are sent and counted")
  func additional() async throws {
    let server = try ProbeServer()
    let app = Probed { $0.httpAdditionalHeaders = ["X-Version": "7", "User-Agent": "app"] }
    _ = try await Visit(name: "", path: "/bytes/1", headers: ["X-Own": "1"]).outcome(server.base, app.session)
    let wire = try #require(server.messages().first)
    #expect(wire.raw?.contains("X-Version: 7\r\n") == true)
    #expect(try await app.records(count: 2)[0].headerLength == wire.header)
  }
}
