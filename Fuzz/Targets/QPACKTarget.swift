import HTTPReassembly
import Packets
import TestSupport

extension FuzzTarget {
  /// Instructions and field sections of one direction (RFC 9204): every octet of a section is counted, what is known of a table that lost
  /// instructions is what the whole one has, and both stay within their limits.
  ///
  /// Input: before which instructions octets are lost (1), the capacity in units of 32 octets (1), then pieces: whether it is a section (1),
  /// its length (1), its octets.
  package static let qpack = FuzzTarget("qpack", longestInput: 512) { input in
    var input = InputOctets(input)
    var untilLoss = Int(input.next() % 8)
    let capacity = 32 * Int(input.next())
    var (whole, late) = (QPACKDecoder(keptLimit: qpackLimit), QPACKDecoder(keptLimit: qpackLimit))
    whole.allow(capacity: capacity)
    late.allow(capacity: capacity)
    while input.hasMore {
      let isSection = input.next() & 1 == 1
      let octets = input.take(Int(input.next()))
      if isSection {
        if let fault = octets.withOctets({ qpackDifference($0, &whole, &late) }) { return fault }
      } else {
        _ = octets.withOctets { whole.takeInstructions($0) }
        if untilLoss == 0 {
          late.lose(octets: octets.count)
        } else {
          _ = octets.withOctets { late.takeInstructions($0) }
        }
        untilLoss -= 1
      }
      // Octets, entries, and the room for strings.
      if whole.memory > 12 * qpackLimit + (64 << 10) { return "\(whole.memory) octets of memory" }
    }
    return nil
  }

  private static let qpackLimit = 8 << 10

  /// What one decoder knows and the other contradicts, or what is not counted.
  private static func qpackDifference(
    _ section: RawSpan, _ whole: inout QPACKDecoder, _ late: inout QPACKDecoder
  ) -> String? {
    var (offset, lateOffset, counted) = (0, 0, 0)
    var step = whole.startSection(section, since: whole.inserted, at: &offset)
    var lateStep = late.startSection(section, since: late.inserted, at: &lateOffset)
    while true {
      guard offset == lateOffset, offset <= section.byteCount else { return "\(offset) octets read, and \(lateOffset)" }
      switch (step, lateStep) {
      case (.end, .end): return counted == section.byteCount ? nil : "\(counted) of \(section.byteCount) octets"
      case (.undecodable, .undecodable): return counted == offset ? nil : "\(counted) octets before \(offset)"
      case (.field(let field), .field(let other)):
        counted += field.length
        if field.length <= 0 || other.length != field.length { return "lengths \(field.length) and \(other.length)" }
        for (text, known) in [(field.name, other.name), (field.value, other.value)] where text.isKnown && known.isKnown
        {
          let expected = whole.withOctets(of: text, in: section) { $0.octets }
          let found = late.withOctets(of: known, in: section) { $0.octets }
          if found != expected { return "\(found) is known, where it is \(expected)" }
        }
      default: return "one goes on, and the other does not"
      }
      step = whole.next(section, at: &offset)
      lateStep = late.next(section, at: &lateOffset)
    }
  }
}

extension RawSpan {
  fileprivate var octets: [UInt8] {
    var octets: [UInt8] = []
    append(0..<byteCount, to: &octets)
    return octets
  }
}
