import Testing

/// Wireshark as a further witness: how many messages there are.
@Suite struct TsharkTests {
  private static let tshark = Environment.tool("tshark")

  /// Where tshark and sniffer count differently, and why. That sniffer is right there is what the witnesses show.
  private static let differences = [
    "errors-aborts": "tshark passes over requests that are broken, cut or in HTTP/0.9",
    "mixed-2000": "tshark loses count of the responses after a pipelined HEAD",
    "mptcp": "tshark reads each subflow by itself",
    "node-chunked": "tshark does not show one of the requests that waited for 100 Continue",
    "one-sided": "without the requests, tshark takes the response after one to HEAD for a body",
    "pipelining": "tshark loses count of the responses after a pipelined HEAD",
    "proxy": "tshark does not look for HTTP inside CONNECT",
    "snaplen-300": "tshark stops at the octets that the snap length cut off",
    "snaplen-96": "a request-line that is cut before its end is no request for sniffer",
  ]

  @Test(.enabled(if: tshark != nil, "tshark is not installed"), arguments: Corpus.captures)
  func countsOfMessages(_ capture: CaptureFile) throws {
    let messages = try FileAnalysis.of(capture).report.messages.rows
    let requests = messages.count { $0["type"] == "request" }
    let responses = messages.count - requests
    let counted = try count(capture)
    guard counted != (requests, responses) else { return }
    let reason = Self.differences[capture.name]
    print("tshark \(capture.name): \(counted), sniffer \((requests, responses)): \(reason ?? "UNEXPLAINED")")
    #expect(reason != nil, "tshark counts \(counted), sniffer \((requests, responses))")
  }

  /// Every record of the captures with key logs, and the octets that are decrypted of them, here and there.
  @Test(
    .enabled(if: tshark != nil, "tshark is not installed"),
    .enabled(if: LocalServer.python != nil, "Python is not installed"))
  func recordsOfTLS() throws {
    let folder = Corpus.folder.path
    let pairs = [
      ("tls/suites.pcap.gz", "tls/suites.keys"), ("tls/later.pcap.gz", "tls/later.keys"),
      ("tls/proxies.pcap.gz", "tls/proxies.keys"),
      ("tls-nginx.pcapng", "tls-nginx.keys"), ("tls-closed.pcap", "tls-nginx.keys"), ("proxy.pcap", "proxy.keys"),
    ]
    let outcome = try Command.run(
      try #require(LocalServer.python),
      [folder + "/record/check-records", Sniffer.url.path] + pairs.map { "\(folder)/\($0.0)=\(folder)/\($0.1)" })
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
    let last = outcome.outputLines.last ?? ""
    let counts = last.split(separator: " ").compactMap { Int($0) }
    #expect(counts.count == 3 && counts[0] > 2000 && counts[1] > 100 && counts[2] == 0, "\(last)")
  }

  /// Requests and responses, interim ones included.
  private func count(_ capture: CaptureFile) throws -> (Int, Int) {
    var arguments = [
      "-n", "-2", "-o", "tcp.desegment_tcp_streams:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE", "-r", capture.path,
      "-Y", "http || http2", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", "-e", "http.request.method",
      "-e", "http.response.code", "-e", "http2.headers.method", "-e", "http2.headers.status", "-d",
      "tcp.port==8081,http2",
    ]
    // Ports of the recordings' servers that Wireshark does not take for HTTP by itself.
    for ports in ["3000-3001", "8000-8005", "8080", "3128"] { arguments += ["-d", "tcp.port==\(ports),http"] }
    let outcome = try Command.run(try #require(Self.tshark), arguments)
    try #require(outcome.status == 0, "\(outcome.error)")
    return outcome.outputLines.reduce((0, 0)) { sum, line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let counts = fields.map { $0.split(separator: ",").count } + [0, 0, 0, 0]
      return (sum.0 + counts[0] + counts[2], sum.1 + counts[1] + counts[3])
    }
  }
}
