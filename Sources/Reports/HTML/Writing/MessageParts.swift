import HTTPReassembly

/// What the octets of an API's messages are, in the order of the page's bars.
enum MessageParts {
  /// The names, as the ledger and the CSV files have them.
  static let names = ["start_line", "header", "body", "framing", "trailer", "overhead", "retransmitted"]

  /// The octets of one direction; their sum is its `ip_bytes`.
  static func octets(_ api: APIOctets) -> [Int] {
    let octets = api.octets
    return [
      octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, api.overhead, api.retransmitted,
    ]
  }
}
