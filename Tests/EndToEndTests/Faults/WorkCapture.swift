import TestSupport

/// Traffic of a kind, of any size.
enum WorkCapture: String, CaseIterable {
  case ordinary
  case pipelinedRequests
  case tinySegments
  case connections
  case fields
  case endlessLine
  case tinyChunks
  case holes
  case overlaps

  /// The number of its units that is doubled: enough to be seen, little enough for valgrind.
  var size: Int {
    switch self {
    case .ordinary: 100
    case .pipelinedRequests: 300
    case .fields, .tinyChunks, .endlessLine: 1000
    default: 600
    }
  }

  /// A pcap file of `size` requests, segments or the like.
  func octets(_ size: Int) -> [UInt8] {
    var file = little(0xa1b2_3c4d) + [2, 0, 4, 0] + little(0) + little(0) + little(262_144) + little(101)
    for dialogue in dialogues(size) {
      for segment in dialogue.segments {
        let packet = segment.packet()
        file += little(Int(packet.timestamp / 1_000_000_000)) + little(Int(packet.timestamp % 1_000_000_000))
        file += little(packet.octets.count) + little(packet.originalLength) + packet.octets
      }
    }
    return file
  }

  private func dialogues(_ size: Int) -> [Dialogue] {
    switch self {
    case .ordinary:
      return (0..<size).map { number in
        var dialogue = connection(number)
        dialogue.open()
        dialogue.send(.client, "GET /items/\(number % 50) HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n")
        dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
        return dialogue
      }
    case .connections:
      return (0..<size).map { number in
        var dialogue = connection(number)
        dialogue.send(.client, [], flags: .syn)
        return dialogue
      }
    case .pipelinedRequests:
      var dialogue = Dialogue.opened()
      send(String(repeating: "GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n", count: size), .client, in: &dialogue)
      send(String(repeating: "HTTP/1.1 204 No Content\r\n\r\n", count: size), .server, in: &dialogue)
      return [dialogue]
    case .fields:
      var dialogue = Dialogue.opened()
      let fields = (0..<size).map { "X-Field-\($0): value\r\n" }.joined()
      send("GET /a HTTP/1.1\r\nHost: example.org\r\n\(fields)\r\n", .client, in: &dialogue)
      return [dialogue]
    case .endlessLine:
      var dialogue = Dialogue.opened()
      send("GET /a HTTP/1.1\r\nCookie: " + String(repeating: "x", count: size * 200), .client, in: &dialogue)
      return [dialogue]
    case .tinyChunks:
      var dialogue = Dialogue.opened()
      let chunks = String(repeating: "1\r\nx\r\n", count: size)
      send(
        "POST /a HTTP/1.1\r\nHost: example.org\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n", .client,
        in: &dialogue)
      return [dialogue]
    case .tinySegments: return [body(size) { dialogue, _ in dialogue.send(.client, "x") }]
    case .holes:
      return [body(size) { dialogue, number in dialogue.send(.client, "xyz", isCaptured: number.isMultiple(of: 2)) }]
    case .overlaps:
      return [
        body(size) { dialogue, _ in
          dialogue.send(.client, String(repeating: "x", count: 20))
          var again = dialogue.segment(.client, .ack, Array(repeating: 0x78, count: 15))
          again.sequence &-= 15
          dialogue.capture(again)
        }
      ]
    }
  }

  /// A request whose body comes in as many steps.
  private func body(_ size: Int, _ step: (inout Dialogue, Int) -> Void) -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "POST /a HTTP/1.1\r\nHost: example.org\r\nContent-Length: 1000000\r\n\r\n")
    for number in 0..<size { step(&dialogue, number) }
    return dialogue
  }

  private func connection(_ number: Int) -> Dialogue {
    var dialogue = Dialogue()
    dialogue.client.port = UInt16(1024 + number % 50_000)
    dialogue.now += Int64(number) * 10_000_000
    return dialogue
  }

  private func send(_ text: String, _ peer: Peer, in dialogue: inout Dialogue) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      dialogue.send(peer, Array(rest.prefix(1400)))
      rest = rest.dropFirst(1400)
    }
  }

  private func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
}
