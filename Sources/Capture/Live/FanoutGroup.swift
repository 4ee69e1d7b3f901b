#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Sockets of one interface among which Linux shares out its packets by connection: both directions of one come to the same socket
/// (packet(7), `PACKET_FANOUT_HASH`). Unsafe sites: socket options.
struct FanoutGroup {
  #if os(Linux)
    // linux/if_packet.h; Swift does not see it.
    private static var fanout: Int32 { 18 }
    private static var hash: UInt32 { 0 }
    /// The kernel finds a number that no other group of the machine has (since 4.12).
    private static var uniqueNumber: UInt32 { 0x2000 }
    private static var levelOfPackets: Int32 { 263 }
    private static var refusal: String { "its packets cannot be shared out among several rings" }
  #endif

  /// The group's number; nil while it has no member.
  private var number: UInt32?

  /// Takes a socket of packets into the group, by its descriptor.
  ///
  /// - Throws: what the system says, or that it has no such groups.
  mutating func add(_ descriptor: Int32?, interface: String) throws(CaptureError) {
    #if os(Linux)
      guard let descriptor else {
        throw CaptureError(file: interface, problem: .libpcap(Self.refusal))
      }
      var argument = number ?? (Self.hash | Self.uniqueNumber) << 16
      var length = socklen_t(MemoryLayout<UInt32>.size)
      guard unsafe setsockopt(descriptor, Self.levelOfPackets, Self.fanout, &argument, length) == 0 else {
        throw Self.failure(interface)
      }
      guard number == nil else { return }
      guard unsafe getsockopt(descriptor, Self.levelOfPackets, Self.fanout, &argument, &length) == 0 else {
        throw Self.failure(interface)
      }
      number = argument & 0xffff | Self.hash << 16
    #else
      throw CaptureError(file: interface, problem: .libpcap("only Linux shares packets out among several rings"))
    #endif
  }

  #if os(Linux)
    private static func failure(_ interface: String) -> CaptureError {
      let words = unsafe String(cString: strerror(errno))
      return CaptureError(
        file: interface, problem: .libpcap("\(refusal): \(words)"))
    }
  #endif
}
