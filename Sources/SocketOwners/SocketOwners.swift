#if os(Linux)
  // The helper's loop. Unsafe sites: system calls that get the address of an array during the call.

  import CSocketOwners
  import Packets

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Reports the processes of this machine's TCP and QUIC connections as they open. This is the only duty of a live run's helper, which
  /// keeps a right that the run itself gives up.
  ///
  /// It receives the first packet of each connection itself, since a short process is gone before the capture hands over its packets.
  package struct SocketOwners {
    private let packets: Int32
    private var diagnostics: SocketDiagnostics
    private var table = DescriptorTable()
    /// Packets that are taken at once. Packets that this machine sent go first, since their processes may be short.
    private static let burst = 64
    /// When the process of a QUIC end was last reported: several packets open a QUIC connection.
    private var told: [ToldEnd: Int64] = [:]
    /// Ends that are remembered. Beyond it, all are forgotten and reported again.
    private static let toldLimit = 1 << 12
    /// Nanoseconds after which an end is reported again, since another process may have its port by then.
    private static let toldPause: Int64 = 2_000_000_000

    private struct ToldEnd: Hashable {
      var local: Endpoint
      var remote: Endpoint
    }

    /// Opens its sockets; nil if the system refuses.
    package init?() {
      packets = owners_open_packet_socket()
      guard packets >= 0, let diagnostics = SocketDiagnostics() else { return nil }
      self.diagnostics = diagnostics
    }

    /// Writes records to `output` until its reader is gone. First come the open connections, then an empty record, then each new
    /// connection.
    package mutating func run(writingTo output: Int32) {
      table.lookAtAll(at: Self.now(CLOCK_MONOTONIC))
      var open: [DiagnosedSocket] = []
      diagnostics.connections { open.append($0) }
      var records: [UInt8] = []
      for socket in open { records += record(socket, .tcp, opens: true, time: 0)?.octets ?? [] }
      let none = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
      records += OpenedConnection(local: none, remote: none, identifier: 0, name: [], time: 0).octets
      guard Self.pass(records, to: output) else { return }
      while true {
        var waits = [
          pollfd(fd: packets, events: Int16(POLLIN), revents: 0), pollfd(fd: output, events: 0, revents: 0),
        ]
        guard unsafe poll(&waits, 2, -1) > 0 else { continue }
        // The run has ended.
        if waits[1].revents != 0 { return }
        guard tellOpened(to: output) else { return }
      }
    }

    /// Reports the owners of connections that have just opened. Returns false if the reader is gone.
    private mutating func tellOpened(to output: Int32) -> Bool {
      var (sent, received): ([FirstPacket], [FirstPacket]) = ([], [])
      var octets = [UInt8](repeating: 0, count: 128)
      for _ in 0..<Self.burst {
        var kind: Int32 = 0
        let count = unsafe owners_receive(packets, &octets, octets.count, &kind)
        guard count > 0 else { break }
        guard let first = octets.withOctets({ FirstPacket($0.extracting(0..<count)) }) else { continue }
        if kind == 4 { sent.append(first) } else if kind == 0 { received.append(first) }
      }
      var known: Set<Endpoint> = []
      for packet in sent
      where packet.transport == .tcp || !isTold(ToldEnd(local: packet.source, remote: packet.destination)) {
        guard
          let opened = opened(
            local: packet.source, remote: packet.destination, packet.transport, opens: true)
        else { continue }
        known.insert(packet.source)
        guard Self.pass(opened.octets, to: output) else { return false }
      }
      // Rows have the client's process if it is on this machine.
      for packet in received where !known.contains(packet.source) {
        let sender = ToldEnd(local: packet.source, remote: packet.destination)
        let end = ToldEnd(local: packet.destination, remote: packet.source)
        if packet.transport == .udp, isTold(sender) || isTold(end) { continue }
        guard
          let taken = opened(
            local: packet.destination, remote: packet.source, packet.transport, opens: false)
        else { continue }
        guard Self.pass(taken.octets, to: output) else { return false }
      }
      return true
    }

    private mutating func opened(
      local: Endpoint, remote: Endpoint, _ transport: OpenedConnection.Transport, opens: Bool
    ) -> OpenedConnection? {
      guard var socket = diagnostics.socket(local: local, remote: remote, transport) else { return nil }
      // A listening socket has other ends.
      socket.local = local
      socket.remote = remote
      guard let opened = record(socket, transport, opens: opens, time: Self.now(CLOCK_REALTIME)) else { return nil }
      if transport == .udp {
        if told.count >= Self.toldLimit { told = [:] }
        told[ToldEnd(local: local, remote: remote)] = Self.now(CLOCK_MONOTONIC)
      }
      return opened
    }

    /// Whether the process of an end was reported a moment ago. TCP ends are not remembered, since one packet opens a TCP connection.
    private func isTold(_ end: ToldEnd) -> Bool {
      told[end].map { Self.now(CLOCK_MONOTONIC) &- $0 < Self.toldPause } ?? false
    }

    private mutating func record(
      _ socket: DiagnosedSocket, _ transport: OpenedConnection.Transport, opens: Bool, time: Int64
    ) -> OpenedConnection? {
      guard
        let process = table.process(
          of: socket.inode, user: socket.user, opens: opens, at: Self.now(CLOCK_MONOTONIC)),
        let name = DescriptorTable.name(of: process)
      else { return nil }
      return OpenedConnection(
        local: socket.local, remote: socket.remote, identifier: UInt32(process), name: name, time: time,
        transport: transport)
    }

    private static func now(_ clock: clockid_t) -> Int64 {
      var time = timespec()
      unsafe clock_gettime(clock, &time)
      return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private static func pass(_ octets: [UInt8], to output: Int32) -> Bool {
      var rest = octets[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
#endif
