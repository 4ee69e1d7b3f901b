import HTTPReassembly

/// `deflate`: the zlib format (RFC 1950), as RFC 9110 §8.4.1.2 has it, or bare compressed data (RFC 1951), as some
/// servers send it and all browsers take it.
///
/// The first two octets decide. A zlib header has 8 in the low half of its first octet, at most 7 in the high half, and
/// is a multiple of 31 (RFC 1950 §2.2). Bare data can begin so only with a stored block that is not the last, and whose
/// padding is not zero, which no known encoder writes.
final class DeflateStage: CodingStage {
  private enum Place {
    case atStart
    /// After a first octet that a zlib header can begin with.
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
        // Neither a header's first octet nor that of a stored block makes output.
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
