@testable import HTTPReassembly

/// A snapshot of an analysis, made up.
struct Snapshot {
  private var ledger: Ledger
  private var anomalies = AnomalyLog()
  private var apis: [APITotals] = []
  private var hosts: [HostTotals] = []
  private var texts = TextPool()

  init(packets: Int = 0, original: Int = 0, pending: Int = 0) {
    ledger = Ledger(packets: packets, original: original, pending: pending)
  }

  var totals: Totals {
    var totals = Totals(ledger: ledger, anomalies: anomalies, apis: apis, texts: texts)
    totals.hosts = hosts
    return totals
  }

  mutating func api(
    _ host: String, _ path: [UInt8], method: String = "", requests: Int, body: Int = 0, tls: Int = 0,
    waits: [Int64] = []
  ) {
    var api = APITotals()
    api.host = Array(host.utf8).withOctets { texts.intern($0) }
    api.path = path.withOctets { texts.intern($0) }
    api.method = Array(method.utf8).withOctets { texts.intern($0) }
    api.requests = requests
    api.response.octets.body = body
    api.response.tls = tls
    for wait in waits { api.wait.record(wait) }
    apis.append(api)
  }

  mutating func api(
    _ host: String, _ path: String, method: String = "", requests: Int, body: Int = 0, tls: Int = 0,
    waits: [Int64] = []
  ) {
    api(host, Array(path.utf8), method: method, requests: requests, body: body, tls: tls, waits: waits)
  }

  mutating func host(_ name: String, up: Int, down: Int, handshake: Int) {
    var host = HostTotals()
    host.host = Array(name.utf8).withOctets { texts.intern($0) }
    (host.up, host.down, host.handshake) = (up, down, handshake)
    hosts.append(host)
  }

  mutating func charge(_ octets: Int, to octetClass: OctetClass) { ledger.charge(octets, to: octetClass) }
  mutating func note(_ anomaly: Anomaly) { anomalies.note(anomaly) }
}

/// The samples of a page: values by name and labels.
func samples(_ page: [UInt8]) -> [String: Int] {
  var samples: [String: Int] = [:]
  for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
    guard let space = line.lastIndex(of: " ") else { continue }
    samples[String(line[..<space])] = Int(line[line.index(after: space)...])
  }
  return samples
}
