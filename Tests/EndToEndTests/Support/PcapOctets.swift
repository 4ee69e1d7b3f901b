import Foundation
import Testing

/// A little-endian pcap file, taken apart by these tests and not by the code under test.
struct PcapOctets {
  let header: [UInt8]
  let records: [[UInt8]]

  init(_ url: URL) throws {
    let octets = try [UInt8](Data(contentsOf: url))
    try #require(octets.count >= 24)
    header = Array(octets[..<24])
    try #require([0xa1b2_c3d4, 0xa1b2_3c4d].contains(Self.integer(octets, 0)), "not a little-endian pcap file")
    var records: [[UInt8]] = []
    var position = 24
    while position < octets.count {
      let end = position + 16 + Self.integer(octets, position + 8)
      try #require(end <= octets.count)
      records.append(Array(octets[position..<end]))
      position = end
    }
    self.records = records
  }

  /// The lengths of all packets on the wire, together.
  var originalLength: Int { Self.originalLength(records[...]) }

  /// The lengths on the wire of some packets, together.
  static func originalLength(_ records: ArraySlice<[UInt8]>) -> Int {
    records.reduce(0) { $0 + integer($1, 12) }
  }

  /// A file of some of the packets.
  func part(_ range: Range<Int>) -> [UInt8] { header + records[range].joined() }

  /// The file and after it the same packets again, as many seconds later: by then the first connections are over.
  func twice(after seconds: Int) -> [UInt8] {
    let later = records.map { record in
      let shifted = Self.integer(record, 0) + seconds
      return (0..<4).map { UInt8(truncatingIfNeeded: shifted >> ($0 * 8)) } + record[4...]
    }
    return header + records.joined() + later.joined()
  }

  private static func integer(_ octets: [UInt8], _ position: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(octets[position + $1]) << ($1 * 8) }
  }
}

/// Counts by Wireshark's `capinfos`.
enum Capinfos {
  static let url = Environment.tool("capinfos")

  /// The number of packets and the sum of their lengths on the wire.
  static func count(_ capture: URL) throws -> (packets: Int, octets: Int) {
    let outcome = try Command.run(try #require(url), ["-TrmcdM", capture.path])
    let cells = try #require(outcome.outputLines.last).split(separator: ",")
    try #require(cells.count == 3, "\(outcome.error)")
    return (try #require(Int(cells[1])), try #require(Int(cells[2])))
  }
}
