import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// `messages.ndjson`, octet for octet and as a strict reader sees it.
@Suite struct NDJSONReportTests {
  private let folder = TemporaryFolder()
  private var texts = TextPool()

  private mutating func message(_ number: Int) -> Message {
    var message = Message()
    message.number = number
    message.exchange = number
    message.connection = 1
    message.client = client
    message.server = server
    message.method = texts.intern("GET")
    message.host = texts.intern("api.example.com")
    message.hostSource = .hostField
    message.path = texts.intern("/users/42")
    message.version = texts.intern("HTTP/1.1")
    message.octets.startLine = 20
    return message
  }

  @Test mutating func oneObjectALine() throws {
    let report = try NDJSONReport(folder: folder.path)
    var message = message(1)
    message.firstTime = 1_700_000_000_123_456_789
    message.flags = [.incomplete, .evicted]
    try report.message(message, texts: texts)
    try report.finish(emptyTotals())
    #expect(
      folder.text("messages.ndjson") == #"""
        {"message":1,"exchange":1,"connection":1,"type":"request","first_time":1700000000123456789,"last_time":0,\#
        "client":"10.0.0.1:50000","server":"[2001:db8::1]:443","scheme":"http","method":"GET","host":"api.example.com",\#
        "host_source":"host","path":"/users/42","query_bytes":null,"status":null,"version":"HTTP/1.1",\#
        "content_type":null,"content_encoding":null,"transfer_encoding":null,"start_line_bytes":20,"header_bytes":0,\#
        "body_bytes":0,"framing_bytes":0,"trailer_bytes":0,"message_bytes":20,"decoded_body_bytes":null,\#
        "retransmitted_bytes":0,"overhead_bytes":0,"ip_bytes":20,"missing_bytes":0,"exactness":"exact",\#
        "flags":["incomplete","evicted"],"stream":null,"tls_bytes":0,"control_bytes":0,"expanded_start_line_bytes":20,\#
        "expanded_header_bytes":0,"unseen_bytes":0,"pairing":"exact","api_path":null,\#
        "grpc_messages":null,"grpc_status":null,"process":null,"pid":null,"app":null,"process_source":null,\#
        "tunnel_bytes":0,"client_address":"10.0.0.1","client_port":50000,"server_address":"2001:db8::1","server_port":443}

        """#)
  }

  /// A flag beyond those that have a name leaves no comma behind.
  @Test mutating func flagsWithoutNames() throws {
    var message = message(1)
    message.flags = MessageFlags(rawValue: 1 << 40 | 1)
    let report = try NDJSONReport(folder: folder.path)
    try report.message(message, texts: texts)
    try report.finish(emptyTotals())
    #expect(try objects().first?["flags"] as? [String] == ["incomplete"])
  }

  /// Whatever the octets are, every line is JSON, and the escapes give them back.
  @Test mutating func anyOctets() throws {
    var generator = SeededRandom(seed: 7)
    let report = try NDJSONReport(folder: folder.path)
    var sent: [[UInt8]] = (0...255).map { [UInt8($0)] }
    for _ in 0..<RandomCases.count(2000) {
      sent.append((0..<Int.random(in: 1...12, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    }
    for (index, octets) in sent.enumerated() {
      var message = message(index + 1)
      message.path = texts.intern(octets)
      try report.message(message, texts: texts)
    }
    try report.finish(emptyTotals())
    let objects = try objects()
    #expect(objects.count == sent.count)
    for (object, octets) in zip(objects, sent) {
      let path = try #require(object["path"] as? String)
      #expect(path == TextEscaping.string(octets))
      #expect(path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
    }
  }

  private static let names = [
    "contents.ndjson", "fields.ndjson", "grpc.ndjson", "hosts.ndjson", "messages.ndjson", "steps.ndjson",
    "timeline.ndjson", "websockets.ndjson",
  ]

  /// Far more rows are out of order than memory is allowed for them.
  @Test mutating func rowsInAnyOrder() throws {
    let report = try NDJSONReport(folder: folder.path, redaction: nil, memoryLimit: 10_000)
    var generator = SeededRandom(seed: 3)
    for number in (1...3000).shuffled(using: &generator) { try report.message(message(number), texts: texts) }
    try report.finish(emptyTotals())
    #expect(try objects().map { $0["message"] as? Int } == Array(1...3000))
    #expect(folder.names == Self.names)
  }

  @Test mutating func liveRowsAreSortedAtTheEnd() throws {
    let report = try NDJSONReport(folder: folder.path, isLive: true)
    for number in [3, 1] { try report.message(message(number), texts: texts) }
    let (open, pool) = (message(2), texts)
    try report.flush(emptyTotals()) { body in body(open, pool) }
    #expect(try objects().map { $0["message"] as? Int } == [3, 1])
    #expect(try objects("messages.open.ndjson").map { $0["message"] as? Int } == [2])
    try report.message(message(2), texts: texts)
    try report.finish(emptyTotals())
    #expect(try objects().map { $0["message"] as? Int } == [1, 2, 3])
    #expect(folder.names == Self.names)
  }

  private func objects(_ name: String = "messages.ndjson") throws -> [[String: Any]] {
    try folder.text(name).split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }
}
