import HTTPReassembly
import Packets

extension FuzzTarget {
  /// Headers of the packets in a datagram, and frames of a packet, without keys: all ranges lie in what they are read from, and a cut
  /// datagram or packet tells nothing that the whole one does not.
  ///
  /// Input: octets of the datagram that were not captured, and whether the connection is known (1), a cut (1), octets.
  package static let quicHeaders = FuzzTarget("quic-headers", longestInput: 512) { input in
    var input = InputOctets(input)
    let choices = input.next()
    let cut = Int(input.next()) * 2
    let octets = input.rest()
    let cutOctets = Array(octets.prefix(cut))
    return octets.withOctets { whole in
      cutOctets.withOctets { part in
        headerFault(whole, part, length: octets.count + Int(choices >> 1), isKnown: choices & 1 == 1)
          ?? frameFault(whole, part, isHandshake: false) ?? frameFault(whole, part, isHandshake: true)
      }
    }
  }

  /// What is wrong with the headers of a datagram of `length` octets, or with those of its part.
  private static func headerFault(
    _ whole: RawSpan, _ part: RawSpan, length: Int, isKnown: Bool
  ) -> String? {
    var offset = 0
    while let header = QUICPacketHeader(whole, at: offset, length: length, isKnown: isKnown) {
      guard header.start == offset, offset < header.numberOffset, header.numberOffset <= header.end,
        header.end <= length
      else { return "a packet from \(offset) to \(header.end), its number at \(header.numberOffset)" }
      let source = offset + 7 + header.destinationID.count
      guard header.destinationID.matches(whole, at: offset + 6), header.sourceID.matches(whole, at: source) else {
        return "connection IDs of the packet at \(offset) are not there"
      }
      if let other = QUICPacketHeader(part, at: offset, length: length, isKnown: isKnown) {
        guard other.kind == header.kind, other.version == header.version, other.end == header.end,
          other.numberOffset == header.numberOffset, other.destinationID == header.destinationID,
          other.sourceID == header.sourceID
        else { return "the packet at \(offset) is another one where it is cut" }
      }
      offset = header.end
    }
    return nil
  }

  /// What is wrong with the frames of a packet, or with those of its part.
  private static func frameFault(_ whole: RawSpan, _ part: RawSpan, isHandshake: Bool) -> String? {
    var (all, some) = (QUICFrames(isHandshake: isHandshake), QUICFrames(isHandshake: isHandshake))
    var (count, end) = (0, 0)
    // The last frame of a part may have had more octets.
    var cut = some.next(part)
    while let frame = all.next(whole) {
      count += 1
      if count > whole.byteCount { return "\(count) frames in \(whole.byteCount) octets" }
      if !frame.data.isEmpty || frame.kind == .stream || frame.kind == .datagram {
        guard end <= frame.data.lowerBound, frame.data.upperBound <= whole.byteCount else {
          return "data at \(frame.data), behind \(end)"
        }
        end = frame.data.upperBound
      }
      guard let known = cut else { continue }
      cut = some.next(part)
      if cut == nil, !some.isMalformed { continue }
      guard known.kind == frame.kind, known.id == frame.id, known.position == frame.position,
        known.data == frame.data, known.isLast == frame.isLast
      else { return "frame \(count) is \(frame), and \(known) where the packet is cut" }
    }
    // Data up to the end of a packet may be too many for their stream in the whole one alone.
    return cut == nil || some.next(part) == nil && !some.isMalformed
      ? nil : "a cut packet has more frames than the \(count) of the whole"
  }
}
