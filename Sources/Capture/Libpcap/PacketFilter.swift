import CPcap
import Packets

/// A well-formed filter expression in the language of pcap-filter(7).
public struct PacketFilter: Sendable {
  /// The expression; an empty one passes all packets.
  public let expression: String

  /// Compiles the expression once, so that a mistake is reported before anything is read.
  ///
  /// It is tried for Ethernet, and if it has no meaning there, for wireless and cooked captures: `wlan` and `inbound` are valid
  /// expressions, too. Throws `CaptureError.Problem.filter` with libpcap's words on Ethernet.
  public init(_ expression: String) throws(CaptureError) {
    self.expression = expression
    do throws(CaptureError) {
      _ = try FilterProgram(expression, dataLinkType: DLT_EN10MB)
    } catch let error {
      let isRightElsewhere = [DLT_IEEE802_11_RADIO, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_RAW, DLT_PPP].contains {
        (try? FilterProgram(expression, dataLinkType: $0)) != nil
      }
      guard isRightElsewhere else { throw error }
    }
  }
}

/// A filter expression compiled for one link type. Unsafe sites: libpcap's program, which this type owns, and the packet that is
/// lent to it.
@safe struct FilterProgram: ~Copyable {
  private var program = unsafe bpf_program()

  /// Compiles for a capture with the largest snapshot length of tcpdump and an unknown netmask.
  ///
  /// libpcap's optimizer reports an error for an expression that passes no packet at all, unless it is `allowedToRejectAll`.
  init(_ expression: String, dataLinkType: Int32, allowedToRejectAll: Bool = false) throws(CaptureError) {
    guard let handle = unsafe pcap_open_dead(dataLinkType, 262_144) else {
      throw CaptureError(file: "", problem: .filter("libpcap does not start"))
    }
    defer { unsafe pcap_close(handle) }
    // PCAP_NETMASK_UNKNOWN is all ones, in a macro that Swift does not see.
    if unsafe pcap_compile(handle, &program, expression, 1, .max) == 0 { return }
    let words = unsafe String(cString: pcap_geterr(handle))
    guard allowedToRejectAll, unsafe pcap_compile(handle, &program, expression, 0, .max) == 0 else {
      throw CaptureError(file: "", problem: .filter(words))
    }
  }

  deinit {
    // libpcap expects a writable program, and this one ends here.
    var ended = unsafe program
    unsafe pcap_freecode(&ended)
  }

  /// Whether a packet passes.
  func matches(_ packet: Packet, _ octets: RawSpan) -> Bool {
    var header = pcap_pkthdr(
      ts: timeval(), caplen: UInt32(clamping: octets.byteCount), len: UInt32(clamping: packet.originalLength))
    return unsafe octets.withUnsafeBytes { buffer in
      // An empty packet has no address, and libpcap does not read from the replacement.
      guard let start = buffer.baseAddress else { return unsafe run(&header, &header) }
      return unsafe run(&header, start)
    }
  }

  private func run(_ header: UnsafePointer<pcap_pkthdr>, _ start: UnsafeRawPointer) -> Bool {
    unsafe withUnsafePointer(to: program) {
      unsafe pcap_offline_filter($0, header, start.assumingMemoryBound(to: UInt8.self)) != 0
    }
  }
}

/// A filter compiled for each link type in a capture. Unsafe site: a name that libpcap owns.
struct FilterPrograms {
  private let expression: String
  private let file: String
  private var programs: [Compiled] = []

  /// A program in a box, because arrays hold copyable values only.
  private final class Compiled {
    let dataLinkType: Int32
    let program: FilterProgram

    init(_ expression: String, dataLinkType: Int32) throws(CaptureError) {
      self.dataLinkType = dataLinkType
      // `ip6` is not a mistake for a capture that also has IPv4-only links.
      program = try FilterProgram(expression, dataLinkType: dataLinkType, allowedToRejectAll: true)
    }
  }

  /// Programs for the packets of one file, which errors name.
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

  /// The link type to compile for.
  private static func dataLinkType(_ linkType: LinkType, _ octets: RawSpan) -> Int32 {
    // The protocol family of BSD loopback, a small number, is in the byte order of the capturing machine. In network order the
    // packet is one of OpenBSD's loopback, whose program in libpcap expects that order.
    if linkType == .null, octets.byteCount >= 4, octets.octet(0) == 0, octets.octet(3) != 0 { return DLT_LOOP }
    return linkType.dataLinkType
  }
}

extension CaptureError {
  /// libpcap's words about a filter.
  fileprivate var words: String {
    if case .filter(let text) = problem { text } else { problem.description }
  }
}
