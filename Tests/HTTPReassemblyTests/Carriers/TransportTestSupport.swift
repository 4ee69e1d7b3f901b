import HTTPReassembly
import TestSupport
import Testing

/// Texts of HTTP messages.
enum HTTP {
  static func get(_ path: String, fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a.example\r\n\(fields)\r\n"
  }

  static func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  static func ok(_ body: String, fields: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  static func chunked(_ chunks: String...) -> String {
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      + chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
  }

  /// `count` letters.
  static func body(_ count: Int) -> String { String(repeating: "b", count: count) }
}

/// Octets of the IPv4 and TCP headers without options.
let overhead4 = 40

/// Analyses packets, and expects every invariant to hold.
func analyze(
  _ packets: [TestPacket], _ configuration: Configuration = Configuration(),
  sourceLocation: SourceLocation = #_sourceLocation
) -> Analysis {
  let analysis = Analysis(packets, configuration: configuration)
  #expect(analysis.violations == [], sourceLocation: sourceLocation)
  return analysis
}

/// Analyses a dialogue, and expects every invariant to hold.
func analyze(
  _ dialogue: Dialogue, _ configuration: Configuration = Configuration(),
  sourceLocation: SourceLocation = #_sourceLocation
) -> Analysis {
  analyze(dialogue.packets(), configuration, sourceLocation: sourceLocation)
}

extension Analysis {
  /// The connection, where there is but one.
  var connection: Connection { connections.first ?? Connection() }

  /// What each exchange is, in the order of requests: `GET /a 200`.
  var pairs: [String] {
    exchanges.map { exchange in
      let request = exchange.request == nil ? "-" : "\(exchange.method) \(exchange.path)"
      return "\(request) \(exchange.response == nil ? "-" : String(exchange.status))"
    }
  }

  /// The bodies' lengths of all messages.
  var bodies: [Int] { messages.map(\.octets.body) }

  /// The response to a path.
  func response(_ path: String) -> SeenMessage? { responses.first { $0.path == path && $0.kind == .response } }

  /// The request for a path.
  func request(_ path: String) -> SeenMessage? { requests.first { $0.path == path } }
}
