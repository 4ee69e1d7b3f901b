import Capture
import ContentCodings
import Foundation
import HTTPReassembly
import TestSupport

extension Seeds {
  /// Packets of one capture that are taken.
  private static let packetLimit = 400

  /// The start of a capture file, as it is and decompressed.
  mutating func addCapture(_ path: String) throws {
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    add(octets, to: .capture)
  }

  /// Packets, and the DNS messages in them.
  mutating func addPackets(_ path: String) throws {
    var reader = try CaptureReader(path: path)
    var count = 0
    while try reader.advance(), count < Self.packetLimit {
      count += 1
      var octets: [UInt8] = []
      var linkType: UInt32 = 0
      reader.withPacket { packet, span in
        span.append(0..<span.byteCount, to: &octets)
        linkType = packet.linkType.rawValue
      }
      // A few of each capture: kinds matter, not numbers.
      guard count % 17 == 1 else { continue }
      for (index, type) in FuzzTarget.linkTypes.enumerated() where type == linkType {
        add([UInt8(index), 0] + octets, to: .link)
      }
      add([0, 0, 0x3f, UInt8(count & 0xff)] + octets, to: .tcp)
      add([UInt8(count & 1), 1] + octets, to: .fragments)
      if let message = octets.dnsMessage { add(message, to: .dns) }
    }
  }

  /// Frames as clients and servers send them, and field blocks.
  mutating func addFrames() {
    var (client, server) = (HTTP2Writer(), HTTP2Writer())
    var sent: [(side: UInt8, frame: [UInt8])] = []
    for stream in [UInt32(1), 3, 5] {
      let request = client.block(HTTP2Writer.request("/\(stream)", [("accept", "*/*")]))
      let response = server.block(HTTP2Writer.response(200, [("content-type", "application/grpc")]))
      sent.append((0, HTTP2Writer.headers(stream, request, ends: stream == 1)))
      sent.append((0, HTTP2Writer.data(stream, [0, 0, 0, 0, 1, 7], ends: true)))
      sent.append((1, HTTP2Writer.headers(stream, response)))
      sent.append((1, HTTP2Writer.data(stream, [0, 0, 0, 0, 2, 7, 7], ends: stream != 3, padding: 4)))
      sent.append((0, HTTP2Writer.windowUpdate(stream)))
      sent.append((0, HTTP2Writer.reset(stream)))
      add([UInt8](repeating: 60, count: 12) + [2, UInt8(request.count)] + request + response, to: .hpack)
      add([stream == 3 ? 1 : 7, UInt8(request.count)] + request + [UInt8(response.count)] + response, to: .fieldBlock)
    }
    sent.append((1, HTTP2Writer.frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82, 0x84, 0x86])))
    for count in [3, 6, sent.count] {
      let frames = sent.prefix(count).flatMap {
        [$0.side, $0.frame[3], $0.frame[4], $0.frame[8], $0.frame[2]] + $0.frame[9...]
      }
      add([UInt8](repeating: 50, count: 12) + [5] + frames, to: .http2)
    }
    addSections()
  }

  /// Adds instructions and sections of QPACK: a table of 220 octets, two fields in it, and sections with all kinds of indices.
  private mutating func addSections() {
    let instructions: [UInt8] = [0x3f, 0xbd, 0x01, 0xc0, 3, 0x61, 0x2e, 0x62, 0x41, 0x63, 1, 0x64, 0x80, 1, 0x65, 0]
    let sections: [[UInt8]] = [
      [0, 0, 0x51, 1, 0x2f, 0xd9], [5, 0, 0x80, 0x83, 0x40, 1, 0x66], [5, 0x82, 0x10, 0x02, 1, 0x67],
      [0, 0, 0x21, 0x61, 1, 0x62, 0xff, 0x24],
    ]
    let input = [0, UInt8(instructions.count)] + instructions + sections.flatMap { [1, UInt8($0.count)] + $0 }
    for loss in [UInt8(0), 1, 7] { add([loss, 7] + input + input, to: .qpack) }
  }

  /// Messages with their contents.
  mutating func addMessages(_ path: String) throws {
    var reader = try CaptureReader(path: path)
    let observer = CollectingObserver()
    var pipeline = Pipeline(decoders: SystemContentDecoders(), observer: observer, sink: CollectingSink())
    var count = 0
    while try reader.advance(), count < Self.packetLimit {
      count += 1
      reader.withPacket { packet, octets in pipeline.process(packet, octets) }
    }
    pipeline.finishConnections()
    for said in observer.messages.sorted(by: { $0.key < $1.key }).prefix(12).map(\.value) {
      let head = ([said.startLine] + said.fields.map { $0.replacingOccurrences(of: "|", with: ": ") })
        .joined(separator: "\r\n")
      let message = Array((head + "\r\n\r\n").utf8) + said.content.prefix(300)
      add(Array(repeating: 40, count: 12) + [1, 0, 200] + message, to: .http1)
      add([3, 9, 20, 40] + said.content.chunked, to: .chunked)
      guard said.content != said.decoded else { continue }
      let cuts: [UInt8] = [0, 9, 0, 40, 0, 90]
      let coding = said.fields.first { $0.lowercased().hasPrefix("content-encoding|") }?.split(separator: "|").last
      if let target = FuzzTarget.named(String(coding ?? "")) { add(cuts + said.content, to: target) }
    }
  }
}

extension [UInt8] {
  /// The message, if this is an IPv4 packet in an Ethernet frame from or to port 53.
  fileprivate var dnsMessage: [UInt8]? {
    guard count > 54, self[12] == 8, self[13] == 0, self[14] == 0x45, self[23] == 17,
      self[34] == 0 && self[35] == 53 || self[36] == 0 && self[37] == 53
    else { return nil }
    return Array(self[42...])
  }

  /// In chunks of 16 octets.
  fileprivate var chunked: [UInt8] {
    var body: [UInt8] = []
    for start in stride(from: 0, to: Swift.min(count, 160), by: 16) {
      let chunk = self[start..<Swift.min(start + 16, count)]
      body += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
    }
    return body + Array("0\r\nSum: 1\r\n\r\n".utf8)
  }
}
