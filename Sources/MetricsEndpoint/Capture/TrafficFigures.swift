import HTTPReassembly

/// The figures of an API, and of all APIs together, which have the same figures under other names.
enum TrafficFigures {
  /// Upper bounds of the histogram of the wait phase, in nanoseconds: 1 ms to 30 s.
  static let bounds: [Int64] = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000].map {
    $0 * 1_000_000
  }

  /// The parts of the octets of a direction.
  static let parts = [
    "start_line", "header", "body", "framing", "trailer", "tls", "control", "retransmitted", "overhead",
    "tunnel",
  ]

  /// The metrics: `prefix` is `sniffer_api` or `sniffer_http`, and `subject` names the traffic in help texts.
  static func lines(_ prefix: String, _ subject: String) -> SeriesFigures {
    var figures = SeriesFigures()
    figures.addCounter("\(prefix)_requests_total", "Requests\(subject).")
    figures.addCounter("\(prefix)_responses_total", "Final responses\(subject).")
    figures.addCounter(
      "\(prefix)_errors_total", "Final responses with an error status\(subject).",
      [[("class", "4xx")], [("class", "5xx")]])
    figures.addCounter(
      "\(prefix)_bytes_total",
      "Bytes from the IP header on\(subject), by direction (up: requests, down: responses) and by what they are.",
      ["up", "down"].flatMap { direction in parts.map { [("direction", direction), ("part", $0)] } })
    figures.addHistogram(
      "\(prefix)_wait_seconds", "Time from the end of a request to the start of its final response\(subject).",
      bounds: bounds)
    return figures
  }

  /// Adds the figures of an API, in the order of the lines.
  static func add(_ api: APITotals, to sums: inout [Int]) {
    sums[0] += api.requests
    sums[1] += api.responses
    sums[2] += api.status4xx
    sums[3] += api.status5xx
    add(api.request, to: &sums, at: 4)
    add(api.response, to: &sums, at: 4 + parts.count)
    let first = 4 + 2 * parts.count
    for (index, count) in api.wait.counts(upTo: bounds).enumerated() { sums[first + index] += count }
    sums[first + bounds.count] += api.wait.count
    sums[first + bounds.count + 1] &+= Int(api.wait.sum)
  }

  private static func add(_ direction: APIOctets, to sums: inout [Int], at first: Int) {
    let octets = direction.octets
    let values = [
      octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, direction.tls, direction.control,
      direction.retransmitted, direction.overhead, direction.tunnel,
    ]
    for (index, value) in values.enumerated() { sums[first + index] += value }
  }
}

/// The figures of a host: all costs of its connections.
enum HostFigures {
  private static let protocols = ["http1", "http2", "tls", "quic", "other"]
  private static let parts = [
    "start_line", "header", "body", "framing", "trailer", "tls", "control", "handshake", "setup", "teardown",
    "retransmitted", "overhead", "unopened", "unattributed", "tunnel",
  ]

  /// The metrics.
  static var lines: SeriesFigures {
    var figures = SeriesFigures()
    figures.addCounter("sniffer_host_requests_total", "Requests that name the host.")
    figures.addCounter("sniffer_host_responses_total", "Final responses, by host.")
    figures.addCounter(
      "sniffer_host_connections_total", "Connections that have ended, by host and by what they carried.",
      protocols.map { [("protocol", $0)] })
    figures.addCounter(
      "sniffer_host_ip_bytes_total", "Bytes from the IP header on, by host and direction.",
      ["up", "down"].map { [("direction", $0)] })
    figures.addCounter(
      "sniffer_host_bytes_total", "The same bytes by host and by what they are.", parts.map { [("part", $0)] })
    return figures
  }

  /// Adds the figures of a host, in the order of the lines.
  static func add(_ host: HostTotals, to sums: inout [Int]) {
    let (connections, octets) = (host.connections, host.octets)
    let values = [
      host.requests, host.responses, connections.http1, connections.http2, connections.tls, connections.quic,
      connections.other, host.up, host.down, octets.startLine, octets.header, octets.body, octets.framing,
      octets.trailer, host.tls, host.control, host.handshake, host.setup, host.teardown, host.retransmitted,
      host.overhead, host.unopened, host.unattributed, host.tunnel,
    ]
    for (index, value) in values.enumerated() { sums[index] += value }
  }
}
