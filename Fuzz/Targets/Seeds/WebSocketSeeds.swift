extension Seeds {
  /// Frames of both sides, whole, in fragments, compressed, with control frames, and a few that break rules.
  mutating func addWebSockets() {
    let text = Array("amber birch cedar".utf8)
    func frame(_ first: UInt8, _ payload: [UInt8], key: [UInt8]?) -> [UInt8] {
      let mask: UInt8 = key == nil ? 0 : 0x80
      let length =
        payload.count < 126
        ? [mask | UInt8(payload.count)] : [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
      return [first] + length + (key ?? []) + payload.enumerated().map { $1 ^ (key?[$0 % 4] ?? 0) }
    }
    for side in 0..<2 {
      let key: [UInt8]? = side == 0 ? [1, 2, 3, 4] : nil
      let streams = [
        frame(0x81, text, key: key) + frame(0x88, [0x03, 0xe8], key: key),
        frame(0x01, text, key: key) + frame(0x89, [7], key: key) + frame(0x80, text, key: key),
        frame(0xc1, [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00], key: key) + frame(0x8a, [], key: key),
        frame(0x82, [UInt8](repeating: 9, count: 300), key: key) + frame(0x82, [], key: key),
        frame(0x81, text, key: key) + frame(0x83, text, key: key), Array("GET /inside HTTP/1.1\r\n\r\n".utf8),
      ]
      for (index, stream) in streams.enumerated() {
        let choice = UInt8(side | (index & 3) << 1)
        add([choice, UInt8(index), 0, 9, 0, 20, 1, 0] + stream, to: .webSocket)
      }
    }
  }
}
