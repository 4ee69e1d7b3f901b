import TestSupport

/// Traffic of a kind, of any size.
enum WorkCapture: String, CaseIterable {
  case ordinary
  case pipelinedRequests
  case tinySegments
  case largeSegments
  case codedContents
  case familiarContents
  case connections
  case fields
  case endlessLine
  case tinyChunks
  case holes
  case overlaps
  case repeatedPaths
  case tinyFrames

  /// The number of its units that is doubled: enough for a steady cost of one more, little enough for valgrind.
  var size: Int {
    switch self {
    case .ordinary: 200
    case .pipelinedRequests: 600
    case .fields, .tinyChunks, .tinyFrames, .endlessLine: 8000
    case .connections: 2400
    default: 1200
    }
  }

  /// Options that make it work.
  var options: [String] { self == .repeatedPaths ? ["--template"] : [] }

  /// The sizes that are counted.
  var sizes: [Int] { [size, 2 * size, 4 * size] }

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
    case .largeSegments:
      let octets = [UInt8](repeating: 0x78, count: 1400)
      return [body(size) { dialogue, _ in dialogue.send(.client, octets) }]
    case .codedContents, .familiarContents:
      var dialogue = Dialogue.opened()
      let head =
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.codedContent.count)\r\n\r\n"
      for number in 0..<size {
        dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n")
        var content = Self.codedContent
        // MTIME (RFC 1952 §2.3) makes another content of it.
        if self == .codedContents { content.replaceSubrange(4..<8, with: little(number)) }
        dialogue.send(.server, Array(head.utf8) + content)
      }
      return [dialogue]
    case .repeatedPaths:
      // Each interim response has the path of its request.
      var dialogue = Dialogue.opened()
      let path = "/" + String(repeating: "p", count: 60_000)
      send("GET \(path) HTTP/1.1\r\nHost: example.org\r\n\r\n", .client, in: &dialogue)
      send(String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: size), .server, in: &dialogue)
      return [dialogue]
    case .tinyFrames:
      // Fragments of one compressed message that never ends, of one octet each. Without their mask they are 0xaa, which is a literal forever.
      var dialogue = Dialogue.opened()
      let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
      dialogue.send(.client, "GET /ws HTTP/1.1\r\nHost: example.org\r\n\(upgrade)\r\n")
      dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(upgrade)\r\n")
      let first: [UInt8] = [0x41, 0x81, 1, 2, 3, 4, 0xab]
      let rest: [UInt8] = [0x00, 0x81, 1, 2, 3, 4, 0xab]
      let octets = first + (1..<size).flatMap { _ in rest }
      for start in stride(from: 0, to: octets.count, by: 1400) {
        dialogue.send(.client, Array(octets[start..<min(start + 1400, octets.count)]))
      }
      return [dialogue]
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
    dialogue.send(.client, "POST /a HTTP/1.1\r\nHost: example.org\r\nContent-Length: 1000000000\r\n\r\n")
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

  /// JSON of 20 items, 784 octets, as gzip(1) makes it.
  private static let codedContent: [UInt8] = {
    let digits = Array(
      ("1f8b08000000000000035d91316ec3300c45af5268f6a04f4994e8ab141d82c483070741da2df0dd5ba4104571151e28f2bd"
        + "57d87fb6e33bac9fafb0dfc21a9770bf1c5b58dfef1f312ce1f1dcaf7f0ff15cfe11cc080622900ed10ce501b5d43a946648"
        + "06544bed5076dff1a0b872a7ca4c51195491d2299ea9646615e44e55b7bbd92ba7d4a936536c4e4c853a2533d58c2daa50a5"
        + "4e3ba2110f19eabd7b32f310d53e9c7e64b31da97f24efd69c2a5913c0371023aeb14680af6033d4a619c0be969957a38680"
        + "2b41cdecc7a429e05a2432e796ac3120bebfd19719e7d7f90b1693cfa810030000").utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
    }
  }()
}
