#if os(Linux)
  // The kernel's facts about TCP and UDP sockets (sock_diag(7), NETLINK_SOCK_DIAG). Unsafe sites: system calls that get the address of an
  // array during the call.

  import CSocketOwners
  import Packets

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A socket as the kernel knows it.
  struct DiagnosedSocket: Equatable {
    var local: Endpoint
    var remote: Endpoint
    /// The user that owns it.
    var user: UInt32
    /// The number of its inode, which descriptors name. 0 if no process has it any more.
    var inode: UInt32
  }

  /// Asks the kernel about sockets.
  struct SocketDiagnostics {
    /// `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg`: offsets and lengths in octets.
    private enum Field {
      static let header = 16
      static let request = 56
      static let ports = 4
      static let addresses = 8
      static let user = 64
      static let inode = 68
      static let message = 72
    }

    /// `SOCK_DIAG_BY_FAMILY`, `NLM_F_REQUEST`, `NLM_F_DUMP`, `NLMSG_ERROR` and `NLMSG_DONE`.
    private static let byFamily: UInt16 = 20
    private static let request: UInt16 = 1
    private static let dump: UInt16 = 0x300
    private static let error: UInt16 = 2
    private static let done: UInt16 = 3
    /// All states but TIME-WAIT (6), NEW-SYN-RECV (12) and LISTEN (10). In these, sockets have no owner, or are no connections.
    private static let connected: UInt32 = 0xfff & ~(1 << 6 | 1 << 10)

    let descriptor: Int32
    private var answer = [UInt8](repeating: 0, count: 32 << 10)
    private var sequence: UInt32 = 0

    /// Nil if the system refuses.
    init?() {
      descriptor = owners_open_diagnostics()
      if descriptor < 0 { return nil }
    }

    /// The socket of a connection, or one that listens for it. Nil if there is none on this machine.
    mutating func socket(
      local: Endpoint, remote: Endpoint, _ transport: OpenedConnection.Transport
    ) -> DiagnosedSocket? {
      // For UDP, the kernel needs sender and receiver, and finds the receiving socket, even one without a remote end.
      let (source, destination) = transport == .udp ? (remote, local) : (local, remote)
      let family = local.address.isIPv4 ? AF_INET : AF_INET6
      guard send(family: family, transport, flags: Self.request, states: .max, source, destination) else { return nil }
      var found: DiagnosedSocket?
      _ = receive { found = found ?? $0 }
      return found
    }

    /// Every TCP connection of this machine.
    mutating func connections(_ body: (DiagnosedSocket) -> Void) {
      let none = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
      for family in [AF_INET, AF_INET6] {
        guard send(family: family, .tcp, flags: Self.request | Self.dump, states: Self.connected, none, none) else {
          continue
        }
        while receive(body) {}
      }
    }

    private mutating func send(
      family: Int32, _ transport: OpenedConnection.Transport, flags: UInt16, states: UInt32, _ local: Endpoint,
      _ remote: Endpoint
    ) -> Bool {
      sequence &+= 1
      var octets: [UInt8] = []
      func append<Value: FixedWidthInteger>(_ value: Value) {
        for shift in 0..<Value.bitWidth / 8 { octets.append(UInt8(truncatingIfNeeded: value >> Value(shift * 8))) }
      }
      append(UInt32(Field.header + Field.request))
      append(Self.byFamily)
      append(flags)
      append(sequence)
      append(UInt32(0))
      octets += [UInt8(family), transport.rawValue, 0, 0]
      append(states)
      append(local.port.bigEndian)
      append(remote.port.bigEndian)
      for address in [local.address, remote.address] {
        // Addresses are in network order. IPv4 addresses have the first four octets.
        if address.isIPv4 {
          append(UInt32(truncatingIfNeeded: address.low).bigEndian)
          for _ in 0..<3 { append(UInt32(0)) }
        } else {
          append(address.high.bigEndian)
          append(address.low.bigEndian)
        }
      }
      // Any interface, and no cookie.
      append(UInt32(0))
      append(UInt64.max)
      return unsafe write(descriptor, octets, octets.count) == octets.count
    }

    /// Receives a response, and passes on its sockets. Returns whether more of the same response follows.
    private mutating func receive(_ body: (DiagnosedSocket) -> Void) -> Bool {
      let count = unsafe recv(descriptor, &answer, answer.count, 0)
      guard count >= Field.header else { return false }
      return answer.withOctets { octets in
        var offset = 0
        while offset + Field.header <= count {
          let length = Int(octets.littleEndian32(offset))
          let kind = octets.littleEndian16(offset + 4)
          let flags = octets.littleEndian16(offset + 6)
          guard length >= Field.header, offset + length <= count, octets.littleEndian32(offset + 8) == sequence,
            kind == Self.byFamily
          else { return false }
          if length >= Field.header + Field.message {
            body(Self.socket(octets.extracting(offset + Field.header..<offset + length)))
          }
          // `NLM_F_MULTI` means that the response has several messages.
          if flags & 2 == 0 { return false }
          offset += (length + 3) & ~3
        }
        return true
      }
    }

    private static func socket(_ message: RawSpan) -> DiagnosedSocket {
      let isIPv4 = message.octet(0) == UInt8(AF_INET)
      func address(_ offset: Int) -> IPAddress {
        isIPv4
          ? IPAddress(v4: message.bigEndian32(offset))
          : IPAddress(high: message.bigEndian64(offset), low: message.bigEndian64(offset + 8))
      }
      return DiagnosedSocket(
        local: Endpoint(address: address(Field.addresses), port: message.bigEndian16(Field.ports)),
        remote: Endpoint(address: address(Field.addresses + 16), port: message.bigEndian16(Field.ports + 2)),
        user: message.littleEndian32(Field.user), inode: message.littleEndian32(Field.inode))
    }
  }
#endif
