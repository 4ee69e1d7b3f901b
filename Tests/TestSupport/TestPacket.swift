import HTTPReassembly

/// A packet that a test made, with the octets that were captured of it.
package struct TestPacket: Equatable, Sendable {
  package var timestamp: Int64
  package var octets: [UInt8]
  package var originalLength: Int
  package var linkType: LinkType
  package var frameCheckSequenceLength: Int

  package init(
    timestamp: Int64, octets: [UInt8], originalLength: Int, linkType: LinkType, frameCheckSequenceLength: Int = 0
  ) {
    self.timestamp = timestamp
    self.octets = octets
    self.originalLength = originalLength
    self.linkType = linkType
    self.frameCheckSequenceLength = frameCheckSequenceLength
  }

  /// The packet's own facts.
  package var facts: Packet {
    Packet(
      timestamp: timestamp, originalLength: originalLength, linkType: linkType,
      frameCheckSequenceLength: frameCheckSequenceLength)
  }
}
