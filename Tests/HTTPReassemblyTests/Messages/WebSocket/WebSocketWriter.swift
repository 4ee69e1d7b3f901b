import TestSupport

/// Writes the frames of one direction of a WebSocket (RFC 6455 §5.2), and counts them.
struct WebSocketWriter {
  /// The counts of the frames so far, in the order of `WebSocketTests.counts`.
  private(set) var counts = [Int](repeating: 0, count: 10)
  /// The status code of a close frame.
  private(set) var closeCode: Int?
  /// All octets so far.
  private(set) var octets: [UInt8] = []
  /// The position behind each frame.
  private(set) var ends: [Int] = []
  private let isMasked: Bool
  private var random: SeededRandom

  init(isMasked: Bool, seed: Int) {
    self.isMasked = isMasked
    random = SeededRandom(seed: UInt64(seed))
  }

  /// Writes a frame. Returns its octets.
  @discardableResult
  mutating func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0) -> [UInt8] {
    let mask: UInt8 = isMasked ? 0x80 : 0
    var header = [(isFinal ? 0x80 : 0) | reserved | opcode]
    switch payload.count {
    case ..<126: header.append(mask | UInt8(payload.count))
    case ..<65536: header += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default: header += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    let key = isMasked ? (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) } : [0, 0, 0, 0]
    if isMasked { header += key }
    let frame = header + payload.enumerated().map { $1 ^ key[$0 % 4] }
    octets += frame
    ends.append(octets.count)
    let isControl = opcode >= 8
    counts[0] += 1
    if !isControl, isFinal { counts[1] += 1 }
    if opcode == 1 { counts[2] += 1 }
    if opcode == 2 { counts[3] += 1 }
    if opcode == 9 { counts[4] += 1 }
    if opcode == 10 { counts[5] += 1 }
    if opcode == 8, payload.count > 1 { closeCode = Int(payload[0]) << 8 | Int(payload[1]) }
    counts[6] += header.count + (isControl ? payload.count : 0)
    if opcode == 9 || opcode == 10 { counts[7] += frame.count }
    if !isControl { (counts[8], counts[9]) = (counts[8] + payload.count, counts[9] + payload.count) }
    return frame
  }

  /// Writes messages of text and octets, whole and in fragments with control frames between them.
  mutating func messages(_ count: Int) {
    let lengths = [0, 1, 5, 124, 125, 126, 127, 300, 1000]
    for _ in 0..<count {
      let opcode: UInt8 = random.chance(0.6) ? 1 : 2
      let parts = random.chance(0.3) ? random.number(2..<5) : 1
      for part in 0..<parts {
        let length = lengths[random.number(0..<lengths.count)]
        let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        frame(part == 0 ? opcode : 0, payload, isFinal: part == parts - 1)
        if random.chance(0.2) { frame(random.chance(0.5) ? 9 : 10, Array(payload.prefix(random.number(0..<125)))) }
      }
    }
  }
}
