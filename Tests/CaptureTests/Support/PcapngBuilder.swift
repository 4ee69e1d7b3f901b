/// Builds pcapng files, right or wrong.
struct PcapngBuilder {
  var octets: [UInt8] = []
  /// Where each block begins, and where the last ends.
  var boundaries: [Int] = [0]
  var order: Order

  /// Starts with a section.
  init(_ order: Order = .little) {
    self.order = order
    section(order)
  }

  mutating func section(_ order: Order, major: UInt16 = 1) {
    self.order = order
    block(0x0a0d_0d0a, order(UInt32(0x1a2b_3c4d)) + order(major) + order(UInt16(0)) + order(Int64(-1)))
  }

  mutating func block(_ type: UInt32, _ body: [UInt8]) {
    let length = order(UInt32(12 + padded(body).count))
    octets += order(type) + length + padded(body) + length
    boundaries.append(octets.count)
  }

  mutating func interface(_ linkType: UInt16 = 1, snapshotLength: UInt32 = 0, options: [UInt8] = []) {
    block(1, order(linkType) + order(UInt16(0)) + order(snapshotLength) + options)
  }

  mutating func enhanced(
    _ data: [UInt8], interface: UInt32 = 0, ticks: UInt64 = 0, captured: UInt32? = nil, original: UInt32? = nil,
    options: [UInt8] = []
  ) {
    block(
      6,
      order(interface) + order(UInt32(ticks >> 32)) + order(UInt32(truncatingIfNeeded: ticks))
        + order(captured ?? UInt32(data.count)) + order(original ?? UInt32(data.count)) + padded(data) + options)
  }

  mutating func simple(_ data: [UInt8], original: UInt32? = nil) {
    block(3, order(original ?? UInt32(data.count)) + data)
  }

  mutating func obsolete(_ data: [UInt8], interface: UInt16 = 0, drops: UInt16 = 0, ticks: UInt64 = 0) {
    block(
      2,
      order(interface) + order(drops) + order(UInt32(ticks >> 32)) + order(UInt32(truncatingIfNeeded: ticks))
        + order(UInt32(data.count)) + order(UInt32(data.count)) + data)
  }

  mutating func statistics(interface: UInt32, options: [UInt8]) {
    block(5, order(interface) + order(UInt64(0)) + options)
  }

  /// A decryption secrets block; `length` is what it says its secrets have.
  mutating func secrets(_ octets: [UInt8], kind: UInt32 = 0x544c_534b, length: UInt32? = nil) {
    block(0x0a, order(kind) + order(length ?? UInt32(octets.count)) + octets)
  }

  /// Apple's process event block.
  mutating func process(_ identifier: UInt32, options: [UInt8] = []) {
    block(0x8000_0001, order(identifier) + options)
  }

  /// An option with a text.
  func option(_ code: UInt16, _ text: String) -> [UInt8] { option(code, Array(text.utf8)) }

  /// One option, or one name record, which has the same shape.
  func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
    order(code) + order(UInt16(value.count)) + padded(value)
  }

  private func padded(_ octets: [UInt8]) -> [UInt8] {
    octets + [UInt8](repeating: 0, count: (4 - octets.count % 4) % 4)
  }
}
