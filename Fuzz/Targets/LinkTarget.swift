import HTTPReassembly

extension FuzzTarget {
  /// One packet, from any link-layer header down to TCP or UDP: its octets are accounted for, and what is handed on lies
  /// in it.
  ///
  /// Input: link type, choices, what the snap length cut off (2), the packet.
  package static let link = FuzzTarget("link", longestInput: 512) { input in
    var input = InputOctets(input)
    let linkType = linkTypes[Int(input.next()) % linkTypes.count]
    let choices = input.next()
    let uncaptured = choices & 1 == 0 ? 0 : input.next16()
    let octets = input.rest()
    var configuration = Configuration()
    configuration.verifiesChecksums = choices & 2 != 0
    var account = DecodedAccount(configuration)
    let packet = Packet(
      timestamp: 0, originalLength: octets.count + uncaptured, linkType: LinkType(rawValue: linkType),
      frameCheckSequenceLength: choices & 4 == 0 ? 0 : Int(choices >> 4))
    return account.fault(packet, octets) ?? account.faultAtEnd()
  }

  /// Every link type that is opened, and one that is not.
  package static let linkTypes: [UInt32] = [
    1, 0, 6, 7, 9, 12, 14, 50, 51, 101, 104, 105, 108, 113, 117, 127, 129, 149, 192, 228, 229, 239, 258, 276, 147, 166,
    204,
    242,
  ]
}
