/// The octets between two marks in time (`Configuration.marks`). All steps add up to the ledger.
///
/// An octet counts in the step of the packet that made its class known, as in the timeline.
public struct StepTotals: Sendable, Equatable {
  /// 0 before the first mark, then the number of the mark in order of time.
  public var number: Int
  /// The mark's label; empty before the first mark.
  public var label: [UInt8]
  /// The step's first nanosecond since the Unix epoch. Before the first mark it is the time of the earliest packet.
  public var start: Int64
  /// The first nanosecond after the step. For the last step it is the time of the latest packet, or the start.
  public var end: Int64
  /// The number of packets.
  public var packets = 0
  /// For each of `OctetDirection`, octets by class in the order of `OctetClass`.
  public var octets: [[Int]] = Array(
    repeating: Array(repeating: 0, count: OctetClass.count), count: OctetDirection.allCases.count)

  /// Makes a step without octets.
  init(number: Int, label: [UInt8], start: Int64, end: Int64) {
    self.number = number
    self.label = label
    self.start = start
    self.end = end
  }

  /// Octets of one direction.
  public subscript(_ direction: OctetDirection) -> Int { octets[direction.rawValue].reduce(0, +) }

  /// Octets of one class.
  public subscript(_ octetClass: OctetClass) -> Int { octets.reduce(0) { $0 + $1[octetClass.rawValue] } }

  /// All octets.
  public var total: Int { octets.reduce(0) { $0 + $1.reduce(0, +) } }

  /// Octets of one direction without those of links, of tunnels around packets, and of packets that are not IP.
  public func ipOctets(_ direction: OctetDirection) -> Int {
    OctetClass.allCases.reduce(0) { sum, octetClass in
      switch octetClass {
      case .link, .encapsulation, .nonIP: sum
      default: sum + octets[direction.rawValue][octetClass.rawValue]
      }
    }
  }
}
