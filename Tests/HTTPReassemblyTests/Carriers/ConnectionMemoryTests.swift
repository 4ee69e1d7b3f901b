import HTTPReassembly
import TestSupport
import Testing

/// What all connections keep together has limits: each of them alone keeps little, and anybody can open many.
@Suite struct ConnectionMemoryTests {
  /// `count` connections that do the same, one after another, and stay open.
  private func connections(_ count: Int, _ script: (inout Dialogue) -> Void) -> [TestPacket] {
    Dialogue.connections(count, spacing: 1_000_000_000, script)
  }

  private func configuration(octets: Int) -> Configuration {
    var configuration = Configuration()
    configuration.connectionOctetLimit = octets
    return configuration
  }

  private static let start = "GET /a HTTP/1.1\r\nHost: a.example\r\nX: "

  @Test(arguments: [Self.start, "GET /", Self.start + "y\r\n "])
  func unfinishedLinesOfManyConnections(_ start: String) {
    let packets = connections(50) { dialogue in
      dialogue.send(.client, start + HTTP.body(20_000))
      dialogue.send(.client, HTTP.body(20_000))
    }
    let free = analyze(packets)
    #expect(free.mostConnectionOctets > 50 * 40_000)
    #expect(free.anomalies[.connectionMemoryFull] == 0)
    let limit = 500_000
    let limited = analyze(packets, configuration(octets: limit))
    #expect(limited.mostConnectionOctets <= limit)
    // The last ones fit; those before gave way, the idlest first.
    let evicted = limited.connections.filter { $0.end == .evicted }.map(\.number)
    #expect(limited.anomalies[.connectionMemoryFull] == evicted.count)
    #expect((35...45).contains(evicted.count) && evicted == Array(1...evicted.count))
    #expect(limited.classes == free.classes)
    #expect(limited.messages.count == free.messages.count)
  }

  /// Charges for places in a start-line that does not end are kept, too.
  @Test func chargesThatWaitForALine() {
    let packets = connections(20) { dialogue in
      dialogue.send(.client, "GET /")
      for _ in 0..<400 { dialogue.send(.client, "y") }
      for index in 4..<404 { dialogue.repeatSegment(index) }
    }
    let limited = analyze(packets, configuration(octets: 100_000))
    #expect(limited.mostConnectionOctets <= 100_000)
    #expect(limited.anomalies[.connectionMemoryFull] > 0)
    #expect(limited.classes == analyze(packets).classes)
  }

  /// A segment behind a hole takes more than its octets.
  @Test func tinySegmentsBehindHoles() {
    let packets = connections(20) { dialogue in
      for number in 0..<500 { dialogue.send(.client, "y", isCaptured: number > 0 && number % 2 == 0) }
    }
    var configuration = Configuration()
    configuration.heldOctetTotalLimit = 100_000
    let limited = analyze(packets, configuration)
    #expect(limited.anomalies[.tcpHoldLimit] > 0)
    #expect(limited.mostConnectionOctets < 100_000 + 20 * 5000)
    let free = analyze(packets)
    #expect(free.anomalies[.tcpHoldLimit] == 0)
    #expect(free.mostConnectionOctets > 20 * 250 * 100)
  }

  @Test func connectionsThatSayNothing() {
    let packets = connections(100) { _ in }
    let limited = analyze(packets, configuration(octets: 25_000))
    #expect(limited.mostConnectionOctets <= 50_000)
    #expect((40...50).contains(limited.anomalies[.connectionMemoryFull]))
    #expect(limited.anomalies[.connectionTableFull] == 0)
  }

  @Test func messagesThatLingerInManyConnections() {
    let packets = connections(20) { dialogue in
      for number in 0..<8 {
        dialogue.send(.client, HTTP.get("/\(number)"))
        dialogue.send(.server, HTTP.ok("hello"))
      }
    }
    let free = analyze(packets)
    #expect(free.anomalies[.httpMessagesFull] == 0)
    var configuration = Configuration()
    configuration.lingeringMessageTotalLimit = 20
    let limited = analyze(packets, configuration)
    #expect(limited.anomalies[.httpMessagesFull] > 0)
    #expect(limited.mostConnectionOctets < free.mostConnectionOctets * 2 / 3)
    // Nothing was sent again, so that nothing is charged otherwise.
    #expect(limited.messages.map(\.ipLength) == free.messages.map(\.ipLength))
    #expect(limited.classes == free.classes)
    #expect(limited.pairs == free.pairs)
  }

  /// A retransmission of a message that lingers no longer is charged to its connection.
  @Test func lateCopyOfAMessageThatLingersNoLonger() {
    var dialogue = Dialogue.opened()
    for number in 0..<4 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok("hello"))
    }
    dialogue.repeatSegment(3)
    let length = HTTP.get("/0").utf8.count
    let free = analyze(dialogue)
    #expect(free.request("/0")?.retransmitted == length)
    var configuration = Configuration()
    configuration.lingeringMessageTotalLimit = 0
    let limited = analyze(dialogue, configuration)
    #expect(limited.request("/0")?.retransmitted == 0)
    #expect(limited.connection.unattributed == free.connection.unattributed + length + overhead4)
    #expect(limited.anomalies[.httpMessagesFull] > 0)
  }

  /// One connection that takes too much alone is given up, too.
  @Test func oneConnectionBeyondTheLimit() {
    var dialogue = Dialogue.opened()
    for number in 0..<100 {
      dialogue.send(.client, HTTP.get("/\(number)" + HTTP.body(1000)))
      // No answer, but what shows, in a connection that the capture has not seen open, that the next is a request of its own.
      dialogue.send(.server, "HTTP/1.1 102 Processing\r\n\r\n")
    }
    var configuration = configuration(octets: 60_000)
    // Names of APIs stay.
    configuration.grouping.path = false
    let limited = analyze(dialogue, configuration)
    #expect(limited.mostConnectionOctets <= 60_000)
    #expect(limited.requests.count == 100)
    #expect(limited.connections.count > 1)
  }
}
