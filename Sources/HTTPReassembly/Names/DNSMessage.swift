/// A DNS message's header and first question (RFC 1035 §4.1), also of multicast DNS (RFC 6762 §18).
package struct DNSMessage: Sendable, Equatable {
  /// Octets of the header.
  static let headerLength = 12

  /// The transaction ID that a response has from its query; multicast DNS sends 0.
  package var identification: UInt16
  /// Whether it is a response, not a query.
  package var isResponse: Bool
  /// What came of the query: 0 is no error, 3 a name that does not exist.
  package var responseCode: UInt8
  /// Entries in the question section, as the header says.
  package var questionCount: Int
  /// Entries in the answer section, as the header says.
  package var answerCount: Int
  /// The name of the first question, lower-cased, without trailing dot; empty when there is none, or for the root.
  package var questionName: [UInt8]
  /// The type of the first question: 1 is A, 28 AAAA; 0 when there is none.
  package var questionType: UInt16

  /// Reads a message, `octets` being the whole payload of a UDP datagram as far as it was captured.
  ///
  /// Nil when the header or the first question is malformed or cut off.
  package init?(_ octets: RawSpan) {
    guard octets.byteCount >= Self.headerLength else { return nil }
    let flags = octets.bigEndian16(2)
    identification = octets.bigEndian16(0)
    isResponse = flags & 0x8000 != 0
    responseCode = UInt8(flags & 0xf)
    questionCount = Int(octets.bigEndian16(4))
    answerCount = Int(octets.bigEndian16(6))
    questionName = []
    questionType = 0
    guard questionCount > 0 else { return }
    guard let end = DNSName.read(at: Self.headerLength, octets, into: &questionName), end + 4 <= octets.byteCount else {
      return nil
    }
    questionType = octets.bigEndian16(end)
  }
}

/// Domain names in messages (RFC 1035 §3.1 and §4.1.4).
enum DNSName {
  /// Reads the name at `start` into `name`, lower-cased, with dots between its labels, and returns where what follows it
  /// starts; nil when it is malformed or cut off.
  ///
  /// A dot or a backslash inside a label is written with a backslash before it (RFC 4343 §2.1), for otherwise one name
  /// could pass for another.
  static func read(at start: Int, _ octets: RawSpan, into name: inout [UInt8]) -> Int? {
    name.removeAll(keepingCapacity: true)
    var position = start
    // Where the run of labels that is being read started.
    var runStart = start
    var following: Int?
    // Octets as they count towards the limit of 255 (§2.3.4), with a length octet for each label.
    var wireLength = 1
    var pointers = 0
    while position < octets.byteCount {
      let length = Int(octets.octet(position))
      switch length >> 6 {
      case 0:
        if length == 0 { return following ?? position + 1 }
        wireLength += length + 1
        guard wireLength <= 255, position + 1 + length <= octets.byteCount else { return nil }
        if !name.isEmpty { name.append(UInt8(ascii: ".")) }
        for index in position + 1..<position + 1 + length { append(octets.octet(index), to: &name) }
        position += 1 + length
      case 3:
        guard position + 2 <= octets.byteCount else { return nil }
        // A pointer leads to a prior occurrence: before the run that it ends, so that no chain of them is endless.
        // Each shortens a name by a label at least, so 127 are more than any name needs.
        let target = Int(octets.bigEndian16(position) & 0x3fff)
        pointers += 1
        guard target < runStart, pointers <= 127 else { return nil }
        following = following ?? position + 2
        position = target
        runStart = target
      default: return nil
      }
    }
    return nil
  }

  private static func append(_ octet: UInt8, to name: inout [UInt8]) {
    switch octet {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): name.append(octet | 0x20)
    case UInt8(ascii: "."), UInt8(ascii: "\\"):
      name.append(UInt8(ascii: "\\"))
      name.append(octet)
    default: name.append(octet)
    }
  }
}
