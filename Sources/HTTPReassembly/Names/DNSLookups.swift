/// Matches DNS responses with their queries, to learn the names of addresses and how long each lookup took.
struct DNSLookups {
  private struct Question: Hashable {
    var client: Endpoint
    var identification: UInt16
    var name: [UInt8]
    var type: UInt16
  }

  /// Queries remembered. Resolvers give up after some seconds (RFC 1035 §7.2), and few names are asked for at once.
  private static let limit = 4096

  private var pending: [Question: Int64] = [:]

  /// Whether a datagram can be a DNS message: port 53, or port 5353 of multicast DNS.
  static func concerns(_ datagram: UDPDatagram) -> Bool {
    let ports = (datagram.source.port, datagram.destination.port)
    return ports.0 == 53 || ports.1 == 53 || ports.0 == 5353 || ports.1 == 5353
  }

  /// Reads a datagram's payload.
  mutating func read(
    _ payload: RawSpan, _ datagram: UDPDatagram, at time: Int64, names: inout NameTable, anomalies: inout AnomalyLog
  ) {
    guard let message = DNSMessage(payload) else { return anomalies.note(.dnsMalformed) }
    let client = message.isResponse ? datagram.destination : datagram.source
    let question = Question(
      client: client, identification: message.identification, name: message.questionName, type: message.questionType)
    guard message.isResponse else {
      // This forgets every query, but only a flood of unanswered queries gets here, and only durations are lost.
      if pending.count >= Self.limit { pending.removeAll() }
      // A repeated query counts from its first time, since the client waits from then on.
      if pending[question] == nil { pending[question] = time }
      return
    }
    let lookup = pending.removeValue(forKey: question).map { max(time - $0, 0) }
    let isWellFormed = message.forEachAddress(in: payload) { address, name in
      names.learn(name, for: address, lookup: lookup)
    }
    let services = message.services(in: payload)
    if !services.isEmpty { names.learn(services, of: message.questionName) }
    if !isWellFormed { anomalies.note(.dnsMalformed) }
  }
}
