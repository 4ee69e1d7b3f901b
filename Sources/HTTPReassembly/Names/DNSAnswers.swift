// The addresses that a DNS response gives for a name (RFC 1035 §4.1.3, RFC 3596 §2), and the protocols (RFC 9460).

extension DNSMessage {
  /// Resource records read from one response; further ones are skipped.
  private static let recordLimit = 256
  /// Aliases followed from the name that was asked for.
  private static let aliasLimit = 16

  /// A resource record with an address or an alias.
  private struct Record {
    var owner: [UInt8]
    var data: Data

    enum Data {
      case address(IPAddress)
      /// CNAME: the name that the owner is an alias of.
      case alias([UInt8])
      /// HTTPS: the protocols that the owner offers.
      case services(AlternativeServices)
    }
  }

  /// Passes each address in the answer section to `body`, with the name that it answers for.
  ///
  /// This name is the first question's if a chain of aliases leads from it to the address. Without a question (multicast DNS), it is the
  /// record's owner. Other addresses are left out, as they answer no question.
  ///
  /// `octets` are the message's own. Returns false if a record is malformed or cut off; addresses before it were passed on. A query has
  /// none.
  package func forEachAddress(in octets: RawSpan, _ body: (IPAddress, [UInt8]) -> Void) -> Bool {
    guard isResponse else { return true }
    var records: [Record] = []
    let isWhole = readAnswers(octets, into: &records)
    guard questionCount > 0 else {
      for record in records {
        if case .address(let address) = record.data { body(address, record.owner) }
      }
      return isWhole
    }
    let names = names(in: records)
    for record in records {
      if case .address(let address) = record.data, names.contains(record.owner) { body(address, questionName) }
    }
    return isWhole
  }

  /// The protocols that the answers to a question for HTTPS records offer for its name (RFC 9460 §7.1); empty without such records.
  func services(in octets: RawSpan) -> AlternativeServices {
    guard isResponse, questionType == Self.httpsType, questionCount == 1 else { return [] }
    var records: [Record] = []
    _ = readAnswers(octets, into: &records)
    let names = names(in: records)
    return records.reduce(into: []) { found, record in
      if case .services(let services) = record.data, names.contains(record.owner) { found.formUnion(services) }
    }
  }

  /// The type of HTTPS records.
  private static let httpsType: UInt16 = 65

  /// The name that was asked for, and its aliases.
  private func names(in records: [Record]) -> [[UInt8]] {
    // Aliases mostly come in the order of their chain, but need not.
    var names = [questionName]
    var reached = 0
    while reached < names.count, names.count <= Self.aliasLimit {
      for record in records where record.owner == names[reached] {
        if case .alias(let name) = record.data, !names.contains(name) { names.append(name) }
      }
      reached += 1
    }
    return names
  }

  /// Reads the answer section's records of class IN that hold an address or an alias. Returns false if the section is malformed.
  private func readAnswers(_ octets: RawSpan, into records: inout [Record]) -> Bool {
    var position = Self.headerLength
    var name: [UInt8] = []
    for _ in 0..<questionCount {
      guard let end = DNSName.read(at: position, octets, into: &name), end + 4 <= octets.byteCount else { return false }
      position = end + 4
    }
    for _ in 0..<min(answerCount, Self.recordLimit) {
      // Owner, then type (2), class (2), time to live (4), length of the data (2).
      guard let end = DNSName.read(at: position, octets, into: &name), end + 10 <= octets.byteCount else {
        return false
      }
      let type = octets.bigEndian16(end)
      // Multicast DNS uses the upper bit of the class (RFC 6762 §10.2).
      let isInternet = octets.bigEndian16(end + 2) & 0x7fff == 1
      let data = end + 10
      let length = Int(octets.bigEndian16(end + 8))
      guard data + length <= octets.byteCount else { return false }
      position = data + length
      guard isInternet else { continue }
      switch (type, length) {
      case (1, 4):
        records.append(Record(owner: name, data: .address(IPAddress(v4: octets.bigEndian32(data)))))
      case (28, 16):
        let address = IPAddress(high: octets.bigEndian64(data), low: octets.bigEndian64(data + 8))
        records.append(Record(owner: name, data: .address(address)))
      case (5, _):
        var target: [UInt8] = []
        guard let targetEnd = DNSName.read(at: data, octets, into: &target), targetEnd == data + length else {
          return false
        }
        records.append(Record(owner: name, data: .alias(target)))
      case (Self.httpsType, _):
        guard let services = Self.services(octets.extracting(data..<data + length)) else { return false }
        records.append(Record(owner: name, data: .services(services)))
      case (1, _), (28, _): return false
      default: break
      }
    }
    return true
  }

  /// The protocols of an HTTPS record's data (RFC 9460 §2.2, §7.1.1); nil if it is malformed.
  private static func services(_ data: RawSpan) -> AlternativeServices? {
    var target: [UInt8] = []
    guard data.byteCount > 2, var offset = DNSName.read(at: 2, data, into: &target) else { return nil }
    var services: AlternativeServices = []
    while offset < data.byteCount {
      guard offset + 4 <= data.byteCount else { return nil }
      let (key, length) = (data.bigEndian16(offset), Int(data.bigEndian16(offset + 2)))
      offset += 4
      guard length <= data.byteCount - offset else { return nil }
      // The key `alpn`: names, each behind its length.
      if key == 1 {
        var start = offset
        while start < offset + length {
          let end = start + 1 + Int(data.octet(start))
          guard end <= offset + length else { return nil }
          services.insert(protocol: data.extracting(start + 1..<end))
          start = end
        }
      }
      offset += length
    }
    return services
  }
}
