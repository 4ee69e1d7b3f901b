import HTTPReassembly

/// What errors are added up of: of a message its API and its octets, and what each model said of them.
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
  /// What the models said, in their order; nil where one cannot tell.
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
