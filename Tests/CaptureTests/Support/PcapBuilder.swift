/// Builds pcap files of any variant, right or wrong.
struct PcapBuilder {
  var octets: [UInt8] = []
  /// Where each record begins, and where the last ends.
  var boundaries: [Int] = []
  let order: Order
  private let isModified: Bool

  init(
    _ order: Order = .little, magic: UInt32 = 0xa1b2_c3d4, version: (UInt16, UInt16) = (2, 4), network: UInt32 = 1
  ) {
    self.order = order
    isModified = magic == 0xa1b2_cd34
    octets = order(magic) + order(version.0) + order(version.1)
    octets += order(UInt32(0)) + order(UInt32(0)) + order(UInt32(65_535)) + order(network)
    boundaries = [24]
  }

  mutating func record(
    _ data: [UInt8], seconds: UInt32 = 1, fraction: UInt32 = 0, captured: UInt32? = nil, original: UInt32? = nil
  ) {
    octets += order(seconds) + order(fraction)
    octets += order(captured ?? UInt32(data.count)) + order(original ?? UInt32(data.count))
    if isModified { octets += [UInt8](repeating: 0xee, count: 8) }
    octets += data
    boundaries.append(octets.count)
  }
}
