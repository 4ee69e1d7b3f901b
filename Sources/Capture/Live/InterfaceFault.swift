import CPcap

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why libpcap does not capture on an interface, in words that say what to do. Unsafe sites: names that libpcap and the
/// system give.
enum InterfaceFault {
  /// What a status of `pcap_activate` means; `words` are libpcap's own, which may be empty.
  static func text(status: Int32, words: String) -> String {
    let detail = words.isEmpty ? "" : " (\(words))"
    switch status {
    case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
      return "no permission to capture\(detail): \(howToPermit)"
    case PCAP_ERROR_NO_SUCH_DEVICE: return "no such interface\(detail)"
    case PCAP_ERROR_IFACE_NOT_UP: return "the interface is not up\(detail)"
    case PCAP_ERROR where !words.isEmpty: return words
    default:
      let status = unsafe pcap_statustostr(status).map { unsafe String(cString: $0) } ?? "status \(status)"
      return status + detail
    }
  }

  /// What libpcap put into a buffer for messages.
  static func words(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// How to let a user capture who is not root, in one line.
  static var howToPermit: String {
    #if os(macOS)
      "install ChmodBPF, which comes with Wireshark, and join the group access_bpf; or run with sudo"
    #else
      "grant it once with \"sudo setcap cap_net_raw=ep \(program)\""
        + " (its group and mode 750 say who may use it); or run with sudo"
    #endif
  }

  #if !os(macOS)
    /// The path of the running program.
    private static var program: String {
      let limit = Int(PATH_MAX)
      var path = [CChar](repeating: 0, count: limit)
      // It has no terminating zero if it fills the buffer, and then is not of use.
      let length = unsafe readlink("/proc/self/exe", &path, limit)
      return length > 0 && length < limit ? words(path) : "PROGRAM"
    }
  #endif
}
