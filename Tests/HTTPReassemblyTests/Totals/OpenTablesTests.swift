import TestSupport
import Testing

@testable import HTTPReassembly

/// Contents and header fields for a look at a run in progress: connections last, but their messages are over.
@Suite struct OpenTablesTests {
  private func rows(_ totals: Totals) -> [String] {
    func name(_ host: TextID, _ path: TextID, _ isRequest: Bool) -> String {
      "\(totals.texts.string(host))\(totals.texts.string(path)) \(isRequest ? "up" : "down")"
    }
    let fields = totals.fields.map { row in
      name(row.host, row.path, row.isRequest)
        + " \(String(decoding: row.name, as: UTF8.self)) \(row.messages) \(row.octets) \(row.repeatedOctets)"
    }
    let contents = totals.contents.map { row in
      name(row.host, row.path, row.isRequest)
        + " \(row.contents) \(row.octets) \(row.repeatedOctets) \(row.repeatedElsewhereOctets) \(row.savedOctets)"
    }
    return (fields + contents).sorted()
  }

  /// Before the connection ends, its messages are what they will be at the end. A message in progress is left out.
  @Test(arguments: [false, true]) func completeMessagesAreAsTheyWillBe(_ isTemplated: Bool) throws {
    var dialogue = Dialogue.opened()
    for (path, body) in [("/a/1", "aaaa"), ("/a/2", "aaaa"), ("/a/1", "aaaa"), ("/a/3", "b"), ("/a/1", "c")] {
      dialogue.send(.client, "GET \(path) HTTP/1.1\r\nHost: a.example\r\nCookie: x=\(body)\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let complete = dialogue.segments.count
    dialogue.send(.client, "POST /late HTTP/1.1\r\nHost: a.example\r\nContent-Length: 9\r\n\r\nzz")
    var configuration = Configuration()
    configuration.tables = [.contents, .fields]
    configuration.templatePaths = isTemplated
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    var open: [String] = []
    for (index, packet) in dialogue.packets().enumerated() {
      packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      guard index >= complete - 1 else { continue }
      var snapshot = pipeline.snapshot
      pipeline.addTables(to: &snapshot)
      #expect(rows(snapshot) == [])
      pipeline.addOpenTables(to: &snapshot)
      open = rows(snapshot)
    }
    pipeline.finishConnections()
    #expect(open.count >= (isTemplated ? 4 : 12) && open == rows(pipeline.totals).filter { !$0.contains("/late") })
    // Final messages are in it as they are.
    var snapshot = pipeline.snapshot
    pipeline.addTables(to: &snapshot)
    let final = rows(snapshot)
    pipeline.addOpenTables(to: &snapshot)
    #expect(rows(snapshot) == final)
  }
}
