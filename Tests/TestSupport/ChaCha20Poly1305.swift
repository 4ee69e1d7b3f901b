/// Seals octets (RFC 8439). The library can only open them.
struct ChaCha20Poly1305 {
  private let key: [UInt32]

  /// `key` has 32 octets.
  init(key: [UInt8]) { self.key = Self.words(key) }

  /// The encrypted octets and their tag. `nonce` has 12 octets.
  func seal(_ octets: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
    let nonce = Self.words(nonce)
    let one = Self.octets(of: block(0, nonce))
    var sealed: [UInt8] = []
    sealed.reserveCapacity(octets.count + 16)
    var counter: UInt32 = 1
    for start in stride(from: 0, to: octets.count, by: 64) {
      let stream = Self.octets(of: block(counter, nonce))
      for index in start..<min(start + 64, octets.count) { sealed.append(octets[index] ^ stream[index - start]) }
      counter += 1
    }
    func padded(_ part: [UInt8]) -> [UInt8] { part + [UInt8](repeating: 0, count: (16 - part.count % 16) % 16) }
    func length(_ count: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
    let covered = padded(additional) + padded(sealed) + length(additional.count) + length(octets.count)
    return sealed + Self.tag(covered, key: one)
  }

  private static func words(_ octets: [UInt8]) -> [UInt32] {
    stride(from: 0, to: octets.count, by: 4).map { start in
      (0..<4).reduce(0) { $0 | UInt32(octets[start + $1]) << UInt32(8 * $1) }
    }
  }

  private static func octets(of words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
  }

  private func block(_ counter: UInt32, _ nonce: [UInt32]) -> [UInt32] {
    let start = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574] + key + [counter] + nonce
    var state = start
    func turn(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
    func quarter(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
      state[a] &+= state[b]
      state[d] = turn(state[d] ^ state[a], 16)
      state[c] &+= state[d]
      state[b] = turn(state[b] ^ state[c], 12)
      state[a] &+= state[b]
      state[d] = turn(state[d] ^ state[a], 8)
      state[c] &+= state[d]
      state[b] = turn(state[b] ^ state[c], 7)
    }
    for _ in 0..<10 {
      for column in 0..<4 { quarter(column, 4 + column, 8 + column, 12 + column) }
      for column in 0..<4 {
        quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
      }
    }
    return zip(state, start).map { $0 &+ $1 }
  }

  /// Poly1305 of whole blocks of 16 octets, in limbs of 26 bits.
  private static func tag(_ octets: [UInt8], key: [UInt8]) -> [UInt8] {
    let clamp: [UInt8] = [255, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15]
    let r = limbs(zip(key[..<16], clamp).map { $0 & $1 } + [0])
    var sum = [UInt64](repeating: 0, count: 5)
    for start in stride(from: 0, to: octets.count, by: 16) {
      let block = limbs(Array(octets[start..<start + 16]) + [1])
      for index in 0..<5 { sum[index] += block[index] }
      var product = [UInt64](repeating: 0, count: 5)
      for i in 0..<5 {
        for j in 0..<5 { product[(i + j) % 5] += sum[i] * r[j] * (i + j < 5 ? 1 : 5) }
      }
      carry(&product)
      sum = product
    }
    carry(&sum)
    // The rest modulo 2¹³⁰ − 5.
    var less = sum
    less[0] += 5
    for index in 0..<4 {
      less[index + 1] += less[index] >> 26
      less[index] &= 0x3ff_ffff
    }
    if less[4] >> 26 > 0 {
      less[4] &= 0x3ff_ffff
      sum = less
    }
    var bits = (sum[0] | sum[1] << 26, UInt64(0))
    bits = (bits.0 | sum[2] << 52, sum[2] >> 12 | sum[3] << 14 | sum[4] << 40)
    let pad = [16, 24].map { start in
      (0..<8).reduce(UInt64(0)) { $0 | UInt64(key[start + $1]) << UInt64(8 * $1) }
    }
    let (low, overflows) = bits.0.addingReportingOverflow(pad[0])
    let high = bits.1 &+ pad[1] &+ (overflows ? 1 : 0)
    return [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
  }

  private static func carry(_ limbs: inout [UInt64]) {
    for _ in 0..<2 {
      for index in 0..<5 {
        let over = limbs[index] >> 26
        limbs[index] &= 0x3ff_ffff
        limbs[(index + 1) % 5] += over * (index == 4 ? 5 : 1)
      }
    }
  }

  /// 17 octets in limbs of 26 bits.
  private static func limbs(_ octets: [UInt8]) -> [UInt64] {
    func word(_ start: Int) -> UInt64 {
      (0..<8).reduce(UInt64(0)) { $0 | UInt64(octets[start + $1]) << UInt64(8 * $1) }
    }
    let (low, high, mask) = (word(0), word(8), UInt64(0x3ff_ffff))
    return [
      low & mask, low >> 26 & mask, (low >> 52 | high << 12) & mask, high >> 14 & mask,
      high >> 40 | UInt64(octets[16]) << 24,
    ]
  }
}
