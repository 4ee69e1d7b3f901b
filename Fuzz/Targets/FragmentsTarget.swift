import HTTPReassembly

extension FuzzTarget {
  /// Fragments of a few datagrams, IPv4 and IPv6, with any offsets, in any order; and one datagram cut properly, which
  /// must come out as it was.
  package static let fragments = FuzzTarget("fragments", longestInput: 512) { input in
    var input = InputOctets(input)
    return input.next() & 1 == 0 ? anyFragments(&input) : properFragments(&input)
  }

  private static func anyFragments(_ input: inout InputOctets) -> String? {
    var configuration = Configuration()
    // Small enough that every limit is met.
    configuration.fragmentedDatagramLimit = 3
    configuration.fragmentOctetLimit = 2048
    configuration.fragmentsPerDatagramLimit = 12
    var account = DecodedAccount(configuration)
    var time: Int64 = 0
    while input.hasMore {
      let choices = input.next()
      var fragment = TestFragment()
      fragment.isIPv6 = choices & 1 != 0
      fragment.identification = choices >> 1 & 3
      fragment.hasMore = choices & 8 != 0
      fragment.protocolNumber = [17, 6, 4, 41][Int(choices >> 4 & 3)]
      fragment.offset = choices & 64 == 0 ? Int(input.next() & 15) * 8 : input.next16() & 0xfff8
      fragment.payload = input.take(Int(input.next()) % 64)
      if choices & 128 != 0 {
        time += Int64(input.next()) * 1_000_000_000
        fragment.uncaptured = Int(input.next()) % 16
      }
      let octets = fragment.octets
      let captured = Array(octets.dropLast(fragment.uncaptured))
      let packet = Packet(timestamp: time, originalLength: octets.count, linkType: .raw)
      if let fault = account.fault(packet, captured) { return fault }
    }
    return account.faultAtEnd()
  }

  private static func properFragments(_ input: inout InputOctets) -> String? {
    let isIPv6 = input.next() & 1 == 0
    var order = input.next16()
    let places = input.take(8)
    var datagram: [UInt8] = [0x30, 0x39, 0x30, 0x39]
    let payload = input.rest()
    let length = 8 + payload.count
    datagram += [UInt8(length >> 8), UInt8(length & 0xff), 0, 0]
    datagram += payload
    let cuts = Set(places.map { Int($0) % (datagram.count / 8 + 1) * 8 }).union([0, datagram.count]).sorted()
    guard cuts.count > 2 else { return nil }
    var pieces = zip(cuts, cuts.dropFirst()).map { $0..<$1 }
    var account = DecodedAccount(Configuration())
    while !pieces.isEmpty {
      let range = pieces.remove(at: order % pieces.count)
      order /= 2
      var fragment = TestFragment()
      fragment.isIPv6 = isIPv6
      fragment.offset = range.lowerBound
      fragment.hasMore = range.upperBound < datagram.count
      fragment.payload = Array(datagram[range])
      let octets = fragment.octets
      let packet = Packet(timestamp: 0, originalLength: octets.count, linkType: .raw)
      if let fault = account.fault(packet, octets) { return fault }
    }
    guard case .reassembledUDP = account.decoded, account.reassembled == datagram else {
      return "a datagram did not come out as it was cut"
    }
    return account.faultAtEnd()
  }
}

/// A fragment to be made into a packet.
private struct TestFragment {
  var isIPv6 = false
  var identification: UInt8 = 1
  var protocolNumber: UInt8 = 17
  /// In octets, a multiple of 8.
  var offset = 0
  var hasMore = false
  var payload: [UInt8] = []
  var uncaptured = 0

  /// The packet, raw IP.
  var octets: [UInt8] {
    let more: UInt8 = hasMore ? 1 : 0
    guard isIPv6 else {
      let length = 20 + payload.count
      let eights = offset >> 3
      return [0x45, 0, UInt8(length >> 8), UInt8(length & 0xff), 0, identification]
        + [UInt8(eights >> 8) & 0x1f | more << 5, UInt8(eights & 0xff), 64, protocolNumber, 0, 0]
        + [10, 0, 0, 1, 10, 0, 0, 2] + payload
    }
    let length = 8 + payload.count
    let address: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    return [0x60, 0, 0, 0, UInt8(length >> 8), UInt8(length & 0xff), 44, 64] + address + [1] + address + [2]
      + [protocolNumber, 0, UInt8(offset >> 8 & 0xff), UInt8(offset & 0xf8) | more, 0, 0, 0, identification] + payload
  }
}
