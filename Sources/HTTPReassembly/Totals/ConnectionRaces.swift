import Packets

/// Finds connections of QUIC behind which the same client opened one of TLS to the same host, as clients do that do not know whether
/// QUIC comes through (RFC 9308 §2).
///
/// Connections come in the order of their ends. So the latest ones of each host are kept.
struct ConnectionRaces {
  /// A connection that has not met another one.
  private struct Start {
    var client: IPAddress
    var time: Int64
  }

  private struct Starts {
    var quic: [Start] = []
    var tcp: [Start] = []
  }

  /// The longest time from a QUIC connection's first packet to a SYN, in nanoseconds: the maximum Connection Attempt Delay (RFC 8305 §8).
  static let window: Int64 = 2_000_000_000
  /// The number of hosts with connections that are kept, and of connections of a kind of one host.
  private static let hostLimit = 4096
  private static let startLimit = 8

  /// Connections by the position of their host.
  private var starts: [Int: Starts] = [:]

  /// Octets of memory, about.
  var memory: Int {
    starts.count * (MemoryLayout<Starts>.stride + 32 + 2 * Self.startLimit * MemoryLayout<Start>.stride)
  }

  /// Takes a final connection of TLS or QUIC. Returns whether it and an earlier one are a race. Each connection is in one race at most.
  mutating func take(_ connection: Connection, of host: Int) -> Bool {
    guard starts[host] != nil || starts.count < Self.hostLimit else { return false }
    let start = Start(client: connection.client.address, time: connection.opened)
    func isRace(_ quic: Start, _ tcp: Start) -> Bool {
      let delay = tcp.time.subtractingReportingOverflow(quic.time)
      return quic.client == tcp.client && !delay.overflow && 0...Self.window ~= delay.partialValue
    }
    if connection.isQUIC {
      if let other = starts[host]?.tcp.firstIndex(where: { isRace(start, $0) }) {
        starts[host]?.tcp.remove(at: other)
        return true
      }
      Self.keep(start, in: &starts[host, default: Starts()].quic)
    } else {
      if let other = starts[host]?.quic.firstIndex(where: { isRace($0, start) }) {
        starts[host]?.quic.remove(at: other)
        return true
      }
      Self.keep(start, in: &starts[host, default: Starts()].tcp)
    }
    return false
  }

  private static func keep(_ start: Start, in list: inout [Start]) {
    if list.count == startLimit { list.removeFirst() }
    list.append(start)
  }
}

extension Connection {
  /// Whether it is of QUIC.
  var isQUIC: Bool { applicationProtocol == .quic || quicVersion != 0 }
}
