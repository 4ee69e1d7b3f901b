import Cryptography
import Packets

/// The connections whose stream is a part of a larger one: subflows of Multipath TCP (RFC 8684).
///
/// Each data segment of a subflow says where in the larger stream its octets are. While the distance of both positions stays the same, the
/// subflow has everything. It changes when octets in between were sent on another subflow.
struct MultipathFlows {
  /// The distance of the positions, modulo 2³², by the connection's number and the direction.
  private var distances: [Int: UInt32] = [:]
  /// The token of the larger stream that each connection is a part of, by the connection's number.
  private var tokens: [Int: UInt32] = [:]
  /// The servers' tokens by the clients' ones.
  private var servers: [UInt32: UInt32] = [:]

  /// Larger streams whose both tokens are remembered. Of further ones, subflows that the server opens have another name.
  private static let serverLimit = 4096

  /// Octets of the shortest TCP header with a mapping, and of the shortest one with a request to join.
  private static let shortestMapped = 36
  private static let shortestJoining = 32

  /// Whether a segment may say something about Multipath TCP. Nearly no segment does.
  @inline(__always)
  static func mayConcern(_ segment: TCPSegment) -> Bool {
    segment.headerLength >= shortestMapped && segment.payloadLength > 0
      || segment.headerLength >= shortestJoining && segment.flags.contains(.syn)
  }

  /// Takes a segment of a connection. Returns whether its octets leave the connection's own stream.
  @inline(never)
  mutating func leaves(_ segment: TCPSegment, _ octets: RawSpan, connection: Int, isFromLow: Bool) -> Bool {
    guard let header = segment.header(in: octets) else { return false }
    var offset = header.lowerBound + 20
    while offset + 2 <= segment.payloadOffset, octets.octet(offset) != 0 {
      guard octets.octet(offset) != 1 else {
        offset += 1
        continue
      }
      let length = Int(octets.octet(offset + 1))
      guard length >= 2, offset + length <= segment.payloadOffset else { return false }
      if octets.octet(offset) == Self.kind, length >= 4 {
        let option = octets.extracting(offset..<offset + length)
        switch option.octet(2) >> 4 {
        case Self.capable: noteKeys(option, segment, connection)
        case Self.join where segment.flags.contains(.syn):
          if !segment.flags.contains(.ack), length == 12 {
            let token = option.bigEndian32(4)
            tokens[connection] = servers[token] ?? token
          }
          return true
        case Self.dataSequenceSignal:
          if let distance = Self.distance(option), segment.payloadLength > 0 {
            return changes(distance, of: connection &* 2 &+ (isFromLow ? 1 : 0))
          }
        default: break
        }
      }
      offset += length
    }
    return false
  }

  /// Takes the keys of a connection that begins a larger stream, in version 1 (RFC 8684 §3.1). Its name is the server's token, which clients
  /// name in requests to join it.
  private mutating func noteKeys(_ option: RawSpan, _ segment: TCPSegment, _ connection: Int) {
    guard option.octet(2) & 0x0f == 1 else { return }
    if segment.flags.contains([.syn, .ack]), option.byteCount == 12 {
      tokens[connection] = Self.token(option, 4)
    } else if !segment.flags.contains(.syn), option.byteCount >= 20 {
      let server = Self.token(option, 12)
      tokens[connection] = server
      if servers.count < Self.serverLimit { servers[Self.token(option, 4)] = server }
    }
  }

  /// The token of the key at an offset: the start of its digest (RFC 8684 §2.2).
  private static func token(_ option: RawSpan, _ offset: Int) -> UInt32 {
    var key: [UInt8] = []
    option.append(offset..<offset + 8, to: &key)
    return SHA256.digest(key).withOctets { $0.bigEndian32(0) }
  }

  /// Forgets a connection. Returns the token of the larger stream that it is a part of; nil if it is none, or not known.
  mutating func forget(_ connection: Int) -> UInt32? {
    if !distances.isEmpty {
      distances[connection &* 2] = nil
      distances[connection &* 2 &+ 1] = nil
    }
    return tokens.isEmpty ? nil : tokens.removeValue(forKey: connection)
  }

  private mutating func changes(_ distance: UInt32, of direction: Int) -> Bool {
    let known = distances.updateValue(distance, forKey: direction)
    return known.map { $0 != distance } ?? false
  }

  /// The number of the option (RFC 8684 §3), and three of its subtypes.
  private static let kind: UInt8 = 30
  private static let capable: UInt8 = 0
  private static let join: UInt8 = 1
  private static let dataSequenceSignal: UInt8 = 2

  /// The distance that a mapping gives (RFC 8684 §3.3); nil if the option has no mapping.
  private static func distance(_ option: RawSpan) -> UInt32? {
    let flags = option.octet(3)
    guard flags & 0x04 != 0 else { return nil }
    let start = 4 + (flags & 0x01 == 0 ? 0 : flags & 0x02 == 0 ? 4 : 8)
    let sequenceLength = flags & 0x08 == 0 ? 4 : 8
    guard start + sequenceLength + 6 <= option.byteCount else { return nil }
    let sequence = option.bigEndian32(start + sequenceLength - 4)
    let subflow = option.bigEndian32(start + sequenceLength)
    // A mapping of the end alone has the subflow's number 0. One of length 0 means that the rest is the subflow's own.
    guard subflow != 0, option.bigEndian16(start + sequenceLength + 4) != 0 else { return nil }
    return sequence &- subflow
  }
}
