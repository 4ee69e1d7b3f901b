import HTTPReassembly

/// The facts of one message that enter the sums: its API, its octets, and the models' estimates.
struct EstimatedMessage {
  /// Its number in `messages.csv`.
  let number: Int
  /// Whether it is a request.
  let kind: MessageKind
  /// Host, path and method, as they were sent.
  let host: [UInt8]
  let path: [UInt8]
  let method: String
  /// Its octets.
  let wire: PartLengths
  /// The models' estimates, in their order; nil where a model cannot tell.
  let estimates: [PartLengths?]

  init(_ message: WireMessage, _ estimates: [PartLengths?]) {
    number = message.row.number
    kind = message.row.kind
    host = message.hostOctets
    path = message.pathOctets
    method = message.method
    wire = PartLengths(message.row.octets)
    self.estimates = estimates
  }
}
