import CPcap
import Packets
import Shared

/// A capture file in a format that only libpcap reads. Unsafe sites: libpcap's handle, and the packets it lends.
@safe final class ForeignCapture {
  private let handle: OpaquePointer
  private let linkType: LinkType
  private let file: String

  /// Opens a file; nil if libpcap does not know its format either.
  init?(path: String) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard
      let handle = unsafe pcap_open_offline_with_tstamp_precision(
        path.systemName, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
    else { return nil }
    unsafe self.handle = handle
    linkType = unsafe LinkType(dataLinkType: pcap_datalink(handle))
    file = path
  }

  deinit { unsafe pcap_close(handle) }

  /// Copies the next packet into the window, and returns its range in the buffer; nil at the end.
  func next(in window: inout OctetWindow, packet: inout Packet) throws(CaptureError) -> Range<Int>? {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var octets: UnsafePointer<UInt8>?
    let status = unsafe pcap_next_ex(handle, &header, &octets)
    guard status == 1, let header = unsafe header?.pointee else {
      if status == PCAP_ERROR_BREAK { return nil }
      throw CaptureError(file: file, problem: .libpcap(unsafe String(cString: pcap_geterr(handle))))
    }
    // With nanosecond precision, libpcap puts nanoseconds into the field for microseconds.
    let (seconds, overflow) = Int64(header.ts.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    packet.timestamp = overflow ? (header.ts.tv_sec < 0 ? .min : .max) : seconds &+ Int64(header.ts.tv_usec)
    packet.originalLength = Int(max(header.len, header.caplen))
    packet.linkType = linkType
    packet.frameCheckSequenceLength = 0
    return unsafe window.replace(with: UnsafeRawBufferPointer(start: octets, count: Int(header.caplen)))
  }
}

extension LinkType {
  /// libpcap's number for this link type on this system (`DLT_`). It differs from the registry's where systems had numbers before
  /// the registry.
  var dataLinkType: Int32 {
    switch self {
    case .raw, .rawBSD, .rawOpenBSD: DLT_RAW
    case .loop: DLT_LOOP
    case .pktap: DLT_PKTAP
    case LinkType(rawValue: 100): DLT_ATM_RFC1483
    case LinkType(rawValue: 106): DLT_ATM_CLIP
    case LinkType(rawValue: 109): DLT_ENC
    default: Int32(truncatingIfNeeded: rawValue)
    }
  }

  /// The link type of libpcap's number on this system.
  init(dataLinkType: Int32) {
    switch dataLinkType {
    case DLT_RAW: self = .raw
    case DLT_LOOP: self = .loop
    case DLT_PKTAP: self = .pktap
    case DLT_ATM_RFC1483: self.init(rawValue: 100)
    case DLT_ATM_CLIP: self.init(rawValue: 106)
    case DLT_ENC: self.init(rawValue: 109)
    default: self.init(rawValue: UInt32(truncatingIfNeeded: dataLinkType))
    }
  }
}
