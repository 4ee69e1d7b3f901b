import HTTPReassembly

/// `gzip`: members of RFC 1952, one after another (§2.2).
///
/// After a member, octets that do not begin with another member's identification (§2.3.1: 31, 139) are junk. `gzip(1)` and browsers ignore
/// them too; usually they are zero padding. Octets that begin with it are a member, and must be a good one. Content that ends after a lone
/// 31 counts as truncated: a cut member is more likely than junk of one octet.
final class GzipStage: CodingStage {
  private enum Place {
    case inMember
    case afterMember
    /// After a member and an octet 31.
    case afterFirstIdentification
    case inJunk
  }

  private let inflater: Inflater
  private var place = Place.inMember

  var isUnbounded: Bool { false }

  init(memory: WindowMemory) { inflater = Inflater(.gzip, memory: memory) }

  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure? {
    var position = 0
    while position < octets.byteCount {
      switch place {
      case .inMember:
        switch inflater.run(octets, from: &position, buffer: buffer, output: output) {
        case .unfinished: continue
        case .ended: place = .afterMember
        case .unwanted: return nil
        case .failed(let failure): return failure
        }
      case .afterMember:
        if octets.octet(position) == 31 {
          place = .afterFirstIdentification
          position += 1
        } else {
          place = .inJunk
        }
      case .afterFirstIdentification:
        if octets.octet(position) == 139 {
          beginMember(buffer: buffer)
        } else {
          place = .inJunk
        }
      case .inJunk:
        return nil
      }
    }
    return nil
  }

  /// Begins another member. zlib gets the identification's first octet here, since it may have come in an earlier call.
  private func beginMember(buffer: OutputBuffer) {
    inflater.reset(.gzip)
    place = .inMember
    [UInt8(31)].withOctets { first in
      var position = 0
      _ = inflater.run(first, from: &position, buffer: buffer) { _ in true }
    }
  }

  var end: StreamEnd {
    switch place {
    case .inMember, .afterFirstIdentification: .missing
    case .afterMember: .reached
    case .inJunk: .followedByJunk
    }
  }

  func reset() {
    inflater.reset(.gzip)
    place = .inMember
  }
}
