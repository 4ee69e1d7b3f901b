import CPcap
import Packets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// libpcap's handle of an interface. Unsafe sites: the handle, which this type owns, and the packets that libpcap lends to its
/// callback.
///
/// libpcap promises nothing about threads but `pcap_breakloop`. Here one thread takes packets and another asks for the counts.
/// With 1.10 this is safe: the count uses no state of taking packets, on Linux (a `getsockopt`) or macOS (an `ioctl`).
/// `LiveCapture` lets only one thread do each at a time.
@safe final class PcapHandle: @unchecked Sendable {
  private let handle: OpaquePointer
  /// libpcap's warnings at the start.
  let warnings: [String]

  /// Starts a capture. If libpcap cannot start it, throws an error with a remedy.
  init(_ interface: String, _ options: LiveCapture.Options) throws(CaptureError) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = unsafe pcap_create(interface, &message) else {
      throw CaptureError(file: interface, problem: .libpcap(InterfaceFault.words(message)))
    }
    unsafe self.handle = handle
    unsafe pcap_set_snaplen(handle, Int32(clamping: options.snapshotLength))
    unsafe pcap_set_buffer_size(handle, Int32(clamping: options.bufferLength))
    unsafe pcap_set_promisc(handle, options.isPromiscuous ? 1 : 0)
    unsafe pcap_set_timeout(handle, Int32(clamping: options.timeout))
    // Not all devices accept it; the actual precision is read later.
    unsafe pcap_set_tstamp_precision(handle, Int32(PCAP_TSTAMP_PRECISION_NANO))
    unsafe Self.wantProcesses(handle, of: interface)
    let status = unsafe pcap_activate(handle)
    let words = unsafe String(cString: pcap_geterr(handle))
    guard status >= 0 else {
      warnings = []
      throw CaptureError(file: interface, problem: .libpcap(InterfaceFault.text(status: status, words: words)))
    }
    warnings = status == 0 ? [] : [InterfaceFault.text(status: status, words: words)]
  }

  /// Asks for the processes of packets, on an interface that has them: `pktap`, or `pktap,en0`. Otherwise Apple's libpcap gives bare IP
  /// packets there. Its header in the SDK lacks the function, and another libpcap has none.
  private static func wantProcesses(_ handle: OpaquePointer, of interface: String) {
    #if os(macOS)
      typealias Want = @convention(c) (OpaquePointer, Int32) -> Int32
      // RTLD_DEFAULT, which Swift does not import: all libraries of the process.
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
      guard interface.hasPrefix("pktap"), let want = unsafe dlsym(everywhere, "pcap_set_want_pktap") else { return }
      _ = unsafe unsafeBitCast(want, to: Want.self)(handle, 1)
    #endif
  }

  deinit { unsafe pcap_close(handle) }

  /// The reason why this process may not capture on an interface; nil if it may.
  static func refusal(_ interface: String) -> String? {
    do throws(CaptureError) {
      // The smallest buffer, because libpcap allocates it.
      _ = try PcapHandle(interface, LiveCapture.Options(snapshotLength: 64, bufferLength: 1))
      return nil
    } catch let error {
      guard case .libpcap(let text) = error.problem else { return error.problem.description }
      return text
    }
  }

  /// The descriptor that receives packets; nil without one.
  var descriptor: Int32? {
    let descriptor = unsafe pcap_fileno(handle)
    return descriptor >= 0 ? descriptor : nil
  }

  /// The link type of its packets.
  var linkType: LinkType { LinkType(dataLinkType: unsafe pcap_datalink(handle)) }

  /// The largest number of octets of a packet.
  var snapshotLength: Int { unsafe Int(pcap_snapshot(handle)) }

  /// Whether its timestamps are in nanoseconds; otherwise they are in microseconds.
  var hasNanoseconds: Bool { unsafe pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO }

  /// libpcap's latest message.
  private var words: String { unsafe String(cString: pcap_geterr(handle)) }

  /// Passes only packets that match the expression. Throws libpcap's words.
  func setFilter(_ expression: String, interface: String) throws(CaptureError) {
    var program = unsafe bpf_program()
    // As for files, an expression that passes no packet is not a mistake, although the optimizer reports one. All ones is an
    // unknown netmask.
    let isCompiled =
      unsafe pcap_compile(handle, &program, expression, 1, .max) == 0
      || pcap_compile(handle, &program, expression, 0, .max) == 0
    guard isCompiled else { throw CaptureError(file: interface, problem: .filter(words)) }
    defer { unsafe pcap_freecode(&program) }
    guard unsafe pcap_setfilter(handle, &program) == 0 else {
      throw CaptureError(file: interface, problem: .filter(words))
    }
  }

  /// Makes the filter final: code that takes over this process cannot capture other packets.
  func lockFilter() {
    #if os(Linux)
      guard let descriptor else { return }
      var on: Int32 = 1
      // A device that is not a socket has no such option, so the result is ignored.
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LOCK_FILTER, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  // MARK: Packets

  /// The end of a round of `dispatch`.
  enum Round {
    /// A number of packets, with the number of captured octets.
    case packets(Int, octets: Int)
    /// `interrupt` was called.
    case interrupted
    /// It failed; libpcap's words.
    case failed(String)
  }

  /// The callback's data: libpcap passes one pointer to it.
  private struct Receiver {
    unowned(unsafe) let feed: PacketFeed
    let nanosecondsPerFraction: Int64
    var lastTimestamp: Int64
    var octets = 0
  }

  /// Appends the available packets to the feed, at most `limit`; in blocking mode waits for the first. `lastTimestamp` becomes
  /// the last packet's time.
  func dispatch(limit: Int32 = -1, into feed: PacketFeed, lastTimestamp: inout Int64) -> Round {
    var receiver = Receiver(
      feed: feed, nanosecondsPerFraction: hasNanoseconds ? 1 : 1000, lastTimestamp: lastTimestamp)
    defer { lastTimestamp = receiver.lastTimestamp }
    let count = unsafe withUnsafeMutablePointer(to: &receiver) { receiver in
      let context = unsafe UnsafeMutableRawPointer(receiver).assumingMemoryBound(to: UInt8.self)
      return unsafe pcap_dispatch(handle, limit, { unsafe PcapHandle.receive($0, $1, $2) }, context)
    }
    switch count {
    case 0...: return .packets(Int(count), octets: receiver.octets)
    case PCAP_ERROR_BREAK: return .interrupted
    default: return .failed(words)
    }
  }

  /// Called by libpcap for each packet.
  @inline(__always)
  private static func receive(
    _ context: UnsafeMutablePointer<UInt8>?, _ header: UnsafePointer<pcap_pkthdr>?, _ octets: UnsafePointer<UInt8>?
  ) {
    guard let context = unsafe context, let header = unsafe header?.pointee else { return }
    let receiver = unsafe UnsafeMutableRawPointer(context).assumingMemoryBound(to: Receiver.self)
    let fraction = unsafe Int64(header.ts.tv_usec) &* receiver.pointee.nanosecondsPerFraction
    let timestamp = Int64(header.ts.tv_sec) &* 1_000_000_000 &+ fraction
    unsafe receiver.pointee.lastTimestamp = timestamp
    unsafe receiver.pointee.octets &+= Int(header.caplen)
    unsafe receiver.pointee.feed.append(
      timestamp: timestamp, originalLength: max(header.len, header.caplen),
      octets: UnsafeRawBufferPointer(start: octets, count: Int(header.caplen)))
  }

  /// Makes `dispatch` return soon. On any thread, but not while the mode changes.
  func interrupt() { unsafe pcap_breakloop(handle) }

  /// Makes `dispatch` take available packets without waiting from now on.
  func stopWaiting(interface: String) throws(CaptureError) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard unsafe pcap_setnonblock(handle, 1, &message) == 0 else {
      throw CaptureError(file: interface, problem: .libpcap(InterfaceFault.words(message)))
    }
  }

  /// The operating system's counts; nil when it does not tell.
  var counts: (received: UInt32, droppedByKernel: UInt32, droppedByInterface: UInt32)? {
    var counts = pcap_stat()
    guard unsafe pcap_stats(handle, &counts) == 0 else { return nil }
    return (counts.ps_recv, counts.ps_drop, counts.ps_ifdrop)
  }
}

/// The reason why libpcap does not capture on an interface, with a remedy. Unsafe sites: names from libpcap and the system.
enum InterfaceFault {
  /// The meaning of a status of `pcap_activate`; `words` are libpcap's own, which may be empty.
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

  /// libpcap's message in a buffer.
  static func words(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The way to let a user other than root capture, in one line.
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
      // A result that fills the buffer has no terminating zero, and is not used.
      let length = unsafe readlink("/proc/self/exe", &path, limit)
      return length > 0 && length < limit ? words(path) : "PROGRAM"
    }
  #endif
}
