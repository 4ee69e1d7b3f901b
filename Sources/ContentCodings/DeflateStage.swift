import HTTPReassembly

/// `deflate`: the zlib format (RFC 1950), as in RFC 9110 §8.4.1.2, or bare compressed data (RFC 1951), which some servers send and all
/// browsers accept.
///
/// The first two octets decide. In a zlib header, the first octet has 8 in its low half, and at most 7 in its high half. Both together are
/// a multiple of 31 (RFC 1950 §2.2). Bare data can begin so only with a stored block that is not the last and has nonzero padding. No known
/// encoder writes that.
final class DeflateStage: CodingStage {
  private enum Place {
    case atStart
    /// After a first octet that may begin a zlib header.
    case afterFirst(UInt8)
    case inStream
    case afterStream
    case inJunk
  }

  private let inflater: Inflater
  private var place = Place.atStart

  var isUnbounded: Bool { false }

  init(memory: WindowMemory) { inflater = Inflater(.zlib, memory: memory) }

  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure? {
    var position = 0
    while position < octets.byteCount {
      switch place {
      case .atStart:
        let first = octets.octet(position)
        if first & 0x0F == 8, first >> 4 <= 7 {
          place = .afterFirst(first)
          position += 1
        } else {
          inflater.reset(.none)
          place = .inStream
        }
      case .afterFirst(let first):
        let header = UInt16(first) << 8 | UInt16(octets.octet(position))
        inflater.reset(header.isMultiple(of: 31) ? .zlib : .none)
        place = .inStream
        // The first octet of a header or a stored block makes no output.
        [first].withOctets { octets in
          var position = 0
          _ = inflater.run(octets, from: &position, buffer: buffer) { _ in true }
        }
      case .inStream:
        switch inflater.run(octets, from: &position, buffer: buffer, output: output) {
        case .unfinished: continue
        case .ended: place = .afterStream
        case .unwanted: return nil
        case .failed(let failure): return failure
        }
      case .afterStream:
        place = .inJunk
      case .inJunk:
        return nil
      }
    }
    return nil
  }

  var end: StreamEnd {
    switch place {
    case .atStart, .afterFirst, .inStream: .missing
    case .afterStream: .reached
    case .inJunk: .followedByJunk
    }
  }

  func reset() {
    inflater.reset(.zlib)
    place = .atStart
  }
}
