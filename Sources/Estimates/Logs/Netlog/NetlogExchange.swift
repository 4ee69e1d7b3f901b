/// One exchange of a netlog: a request that was sent or that the cache answered, and its responses.
struct NetlogExchange {
  /// The index of its first event.
  let index: Int
  let url: String
  let method: String
  /// Milliseconds on the log's clock.
  let start: Int64
  /// Whether it is HTTP/1, so that its lines are as on the wire; else they have the spelling of HTTP/1.1.
  var isHTTP1 = true
  /// Whether the log has the request's begin, and so its URL.
  var hasBegun = true
  var isFromCache = false
  var isAborted = false
  var isOver = false
  var requestLine: Int?
  var requestHeader: Int?
  /// Octets of the body; 0 until a body is sent.
  var requestBody: Int? = 0
  var sent: Int64?
  /// The interim responses, then the final one.
  var responses: [Response] = []
  /// Octets before decoding, if a coding was decoded.
  var codedOctets: Int?
  var octets: Int?
  var hasReadBody = false
  var bodyEnd: Int64?

  /// The start and header section of a response.
  struct Response {
    let index: Int
    let time: Int64
    let status: Int
    let line: Int
    let header: Int

    /// Parses the lines; nil when the first line is no status-line.
    init?(index: Int, time: Int64, lines: [String]) {
      guard let first = lines.first, first.hasPrefix("HTTP/") else { return nil }
      let words = first.split(separator: " ", maxSplits: 2)
      guard words.count >= 2, let status = Int(words[1]), 100...999 ~= status else { return nil }
      (self.index, self.time, self.status) = (index, time, status)
      line = first.utf8.count + 2
      header = NetlogExchange.octets(lines.dropFirst())
    }

    var isInterim: Bool { status < 200 && status != 101 }
  }

  /// Octets of a header section: each line and its end, and the empty line.
  static func octets(_ lines: some Sequence<String>) -> Int { lines.reduce(2) { $0 + octets(of: $1) + 2 } }

  /// Octets of the start-line and the header section of a request on HTTP/2, in the spelling of HTTP/1.1. Chrome lists its
  /// fields, and pseudo-header fields as `:method: GET`. Nil without a method and a path.
  static func spelled(_ lines: [String]) -> (line: Int?, header: Int?) {
    func value(_ name: String) -> Int? { lines.first { $0.hasPrefix(name) }.map { octets(of: $0) - name.utf8.count } }
    let header = octets(lines.filter { !$0.hasPrefix(":") })
    guard let method = value(":method: "), let path = value(":path: ") else { return (nil, nil) }
    let host = lines.contains { $0.lowercased().hasPrefix("host:") } ? nil : value(":authority: ")
    return (
      method + path + " ".utf8.count + " HTTP/1.1".utf8.count + 2,
      header + (host.map { "host: ".utf8.count + $0 + 2 } ?? 0)
    )
  }

  /// Octets of a line. Chrome leaves cookies and credentials out of a log, and writes their number of octets.
  private static func octets(of line: String) -> Int {
    var octets = line.utf8.count
    let mark = " bytes were stripped]"
    guard line.contains(mark) else { return octets }
    for part in line.components(separatedBy: mark).dropLast() {
      guard let bracket = part.lastIndex(of: "["), let count = Int(part[part.index(after: bracket)...]),
        0...(1 << 24) ~= count
      else { continue }
      octets += count - part[bracket...].utf8.count - mark.utf8.count
    }
    return octets
  }
}
