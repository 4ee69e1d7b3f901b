import CPcap
import Packets

/// A filter compiled for each link type that a capture turns out to have. Unsafe site: a name that libpcap owns.
struct FilterPrograms {
  private let expression: String
  private let file: String
  private var programs: [Compiled] = []

  /// A program in a box, since arrays hold copyable values only.
  private final class Compiled {
    let dataLinkType: Int32
    let program: FilterProgram

    init(_ expression: String, dataLinkType: Int32) throws(CaptureError) {
      self.dataLinkType = dataLinkType
      // `ip6` is no mistake for a capture that has IPv4-only links, too.
      program = try FilterProgram(expression, dataLinkType: dataLinkType, allowedToRejectAll: true)
    }
  }

  /// For the packets of one file, which errors name.
  init(_ filter: PacketFilter, file: String) {
    expression = filter.expression
    self.file = file
  }

  /// Whether a packet passes; compiles the filter when its link type is new.
  mutating func matches(_ packet: Packet, _ octets: RawSpan) throws(CaptureError) -> Bool {
    let dataLinkType = Self.dataLinkType(packet.linkType, octets)
    for compiled in programs where compiled.dataLinkType == dataLinkType {
      return compiled.program.matches(packet, octets)
    }
    do throws(CaptureError) {
      let compiled = try Compiled(expression, dataLinkType: dataLinkType)
      programs.append(compiled)
      return compiled.program.matches(packet, octets)
    } catch let error {
      let name = unsafe pcap_datalink_val_to_name(dataLinkType).map { unsafe String(cString: $0) }
      let linkType = "link type \(packet.linkType.rawValue)" + (name.map { " (\($0))" } ?? "")
      throw CaptureError(file: file, problem: .filter("for \(linkType): \(error.words)"))
    }
  }

  /// What to compile for.
  private static func dataLinkType(_ linkType: LinkType, _ octets: RawSpan) -> Int32 {
    // The protocol family of BSD loopback, a small number, is in the byte order of the capturing machine. In network
    // order it makes the packet one of OpenBSD's loopback, for which libpcap's program expects that order.
    if linkType == .null, octets.byteCount >= 4, octets.octet(0) == 0, octets.octet(3) != 0 { return DLT_LOOP }
    return linkType.dataLinkType
  }
}

extension CaptureError {
  /// What libpcap says of a filter.
  fileprivate var words: String {
    if case .filter(let text) = problem { text } else { problem.description }
  }
}
