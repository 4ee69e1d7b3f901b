import Capture
import Foundation
import HTTPReassembly

extension Seeds {
  /// TLS connections of a capture with their secrets, and the key log.
  mutating func addTLS(_ path: String, keys: String) throws {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: keys)))
    for start in stride(from: 0, to: min(log.count, 4000), by: 500) {
      add([1, UInt8(start / 500)] + log[start..<min(start + 1500, log.count)], to: .keyLog)
    }
    var turns: [UInt16: [(isClient: Bool, octets: [UInt8])]] = [:]
    var reader = try CaptureReader(path: path)
    while try reader.advance() {
      reader.withPacket { _, octets in
        guard octets.byteCount > 40 else { return }
        let isClient = octets.bigEndian16(22) == 443
        let port = octets.bigEndian16(isClient ? 20 : 22)
        if turns[port]?.last?.isClient != isClient { turns[port, default: []].append((isClient, [])) }
        let last = (turns[port]?.count ?? 1) - 1
        octets.append(40..<octets.byteCount, to: &turns[port, default: []][last].octets)
      }
    }
    let lines = String(decoding: log, as: UTF8.self).split(separator: "\n")
    for (_, turns) in turns.sorted(by: { $0.key < $1.key }) {
      // The record header, the message's, the version: then comes the random that names the secrets.
      guard let hello = turns.first?.octets, hello.count > 43 else { continue }
      let random = hello[11..<43].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let own = Array(lines.filter { $0.contains(random) && !$0.hasPrefix("EXPORTER") }.joined(separator: "\n").utf8)
      var input = own.count.twoOctets + own + [90]
      for turn in turns.prefix(12) { input += turn.octets.count.twoOctets + turn.octets }
      if own.count < 2048, turns.prefix(12).allSatisfy({ $0.octets.count < 6000 }) { add(input, to: .tls) }
    }
  }
}

extension Seeds {
  /// The first datagrams of each client of a capture of QUIC.
  mutating func addQUIC(_ path: String) throws {
    var inputs: [UInt16: [UInt8]] = [:]
    var reader = try CaptureReader(path: path)
    while try reader.advance() {
      reader.withPacket { _, octets in
        guard octets.byteCount > 42, octets.octet(23) == 17 else { return }
        let isServers = octets.bigEndian16(34) == 443
        let port = octets.bigEndian16(isServers ? 36 : 34)
        var payload: [UInt8] = []
        octets.append(42..<octets.byteCount, to: &payload)
        add([0, 0] + payload, to: .quicHeaders)
        guard payload.count < 1500, inputs[port, default: []].count < 6000 else { return }
        inputs[port, default: []] += [isServers ? 1 : 0] + payload.count.twoOctets + payload
      }
    }
    for (_, input) in inputs.sorted(by: { $0.key < $1.key }) { add(input, to: .quic) }
  }

  /// Frames of two short exchanges of HTTP/3, and one of each other kind (RFC 9000 §19), in packets of both sides.
  mutating func addQUICFrames() {
    let settings: [UInt8] = [0x00, 0x04, 0x02, 0x01, 0x40]
    let request: [UInt8] = [0x01, 0x08, 0x00, 0x00, 0xd1, 0xd7, 0xc1, 0x50, 0x01, 0x61]
    let response: [UInt8] = [0x01, 0x03, 0x00, 0x00, 0xd9, 0x00, 0x02, 0x68, 0x69]
    func stream(_ id: UInt8, _ octets: [UInt8], at offset: UInt8 = 0, ends: Bool = true) -> [UInt8] {
      [0x0e | (ends ? 1 : 0), id, offset, UInt8(octets.count)] + octets
    }
    let others: [[UInt8]] = [
      [0x00, 0x01], [0x02, 0x05, 0x00, 0x01, 0x01, 0x00, 0x00], [0x03, 0x05, 0x00, 0x00, 0x01, 0x01, 0x01, 0x00],
      [0x04, 0x04, 0x00, 0x0a], [0x05, 0x00, 0x00], [0x06, 0x00, 0x02, 0x0e, 0x00], [0x07, 0x01, 0x61], [0x10, 0x3f],
      [0x11, 0x00, 0x3f], [0x12, 0x04], [0x14, 0x3f], [0x15, 0x00, 0x3f], [0x17, 0x04], [0x19, 0x00],
      [0x1a] + [UInt8](repeating: 7, count: 8), [0x1e], [0x31, 0x02, 0x00, 0x68], [0x40, 0xaf, 0x01, 0x02, 0x03, 0x04],
      [0x1d, 0x00, 0x00],
    ]
    let packets: [(choices: UInt8, frames: [UInt8])] = [
      (0, stream(2, settings, ends: false) + stream(0, request)), (1, stream(3, settings, ends: false) + others[1]),
      (1, stream(0, Array(response.prefix(4)), ends: false)), (1, stream(0, Array(response.dropFirst(4)), at: 4)),
      (0, stream(4, request)), (0xe1, stream(4, response)), (0x10, stream(0, request)),
    ]
    func input(_ packets: [(choices: UInt8, frames: [UInt8])]) -> [UInt8] {
      packets.flatMap { [$0.choices] + $0.frames.count.twoOctets + $0.frames }
    }
    add(input(packets), to: .quicFrames)
    for frames in others + packets.map(\.frames) { add([0, 0] + frames, to: .quicHeaders) }
    for frames in others { add(input([(0, frames), (1, frames)] + packets), to: .quicFrames) }
  }
}
