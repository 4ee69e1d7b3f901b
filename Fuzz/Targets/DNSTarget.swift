import HTTPReassembly

extension FuzzTarget {
  /// DNS messages: every name is one that DNS allows, and a message that is cut off gives no address that the whole one
  /// does not give.
  package static let dns = FuzzTarget("dns", longestInput: 1024) { input in
    let whole = DNSReading(input)
    if let fault = whole.fault { return fault }
    let cut = DNSReading(Array(input.prefix(input.count / 2 + Int(input.last ?? 0) % (input.count / 2 + 1))))
    if let fault = cut.fault { return "cut: \(fault)" }
    // A cut can end a chain of aliases, so that fewer addresses answer; never more.
    let addresses = Set(whole.addresses)
    if let extra = cut.addresses.first(where: { !addresses.contains($0) }) { return "only when cut: \(extra)" }
    return nil
  }
}

/// What was read of one message.
private struct DNSReading {
  var addresses: [String] = []
  var fault: String?

  /// RFC 1035 §2.3.4: 255 octets on the wire, of which each may be written with a backslash before it.
  private static let longestName = 2 * 255

  init(_ input: [UInt8]) {
    input.withOctets { octets in
      guard let message = DNSMessage(octets) else { return }
      if message.questionName.count > Self.longestName { fault = "a question of \(message.questionName.count) octets" }
      _ = message.forEachAddress(in: octets) { address, name in
        if name.count > Self.longestName { fault = "a name of \(name.count) octets" }
        addresses.append("\(address.high) \(address.low) \(name)")
      }
      if !message.isResponse, !addresses.isEmpty { fault = "a query has addresses" }
      if addresses.count > 256 { fault = "\(addresses.count) addresses" }
    }
  }
}
