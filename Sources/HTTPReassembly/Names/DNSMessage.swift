/// The header and first question of a DNS message (RFC 1035 §4.1) or a multicast DNS message (RFC 6762 §18).
package struct DNSMessage: Sendable, Equatable {
  /// The length of the header in octets.
  static let headerLength = 12

  /// The transaction ID, which a response repeats from its query; multicast DNS sends 0.
  package var identification: UInt16
  /// Whether it is a response, not a query.
  package var isResponse: Bool
  /// The result of the query: 0 is no error, 3 is a name that does not exist.
  package var responseCode: UInt8
  /// The number of entries in the question section, as the header says.
  package var questionCount: Int
  /// The number of entries in the answer section, as the header says.
  package var answerCount: Int
  /// The name of the first question, lower-case, without trailing dot. Empty for the root or without a question.
  package var questionName: [UInt8]
  /// The type of the first question: 1 is A, 28 is AAAA. 0 without a question.
  package var questionType: UInt16

  /// Reads a message from the captured part of a UDP datagram's payload.
  ///
  /// Returns nil if the header or the first question is malformed or cut off.
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
  /// Reads the name at `start` into `name`, lower-case, with dots between labels. Returns the offset behind the name; nil if the name is
  /// malformed or cut off.
  ///
  /// A dot or a backslash inside a label gets a backslash before it (RFC 4343 §2.1), or one name could pass for another.
  static func read(at start: Int, _ octets: RawSpan, into name: inout [UInt8]) -> Int? {
    name.removeAll(keepingCapacity: true)
    var position = start
    // Where the current run of labels started.
    var runStart = start
    var following: Int?
    // The length that counts towards the limit of 255 octets (§2.3.4), with a length octet for each label.
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
        // A pointer leads to a place before the run that it ends, so no chain of pointers is endless. Each run has a label at least, so no
        // name needs more than 127.
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
