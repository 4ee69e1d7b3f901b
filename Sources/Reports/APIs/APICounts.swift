import HTTPReassembly

/// The figures of one API, or of several together: counts and octets.
package struct APICounts: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: APIColumn.allCases.count)

  /// All zero.
  package init() {}

  /// Those of an API of an analysis.
  init(_ api: APITotals) { counts = APIColumn.allCases.map { $0.figure(of: api) } }

  /// A figure.
  package subscript(_ column: APIColumn) -> Int {
    get { counts[column.position] }
    set { counts[column.position] = newValue }
  }

  /// A sum of two figures.
  package subscript(_ sum: APISum) -> Int {
    let (first, second) = sum.columns
    return self[first] + self[second]
  }

  /// Adds the figures of another API. A reader of figures from a file checks that sums fit (`APIColumn.limit`).
  mutating func add(_ other: APICounts) {
    for position in counts.indices { counts[position] += other.counts[position] }
  }
}

extension APIColumn {
  private static let positions = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))

  /// Its position in the order of columns.
  fileprivate var position: Int { Self.positions[self] ?? 0 }
}

/// The columns of `apis` that count something, by their names in every report and in their order: messages, octets, answers.
package enum APIColumn: String, CaseIterable, Sendable {
  case requests
  case responses
  case requestStartLine = "request_start_line_bytes"
  case requestHeader = "request_header_bytes"
  case requestBody = "request_body_bytes"
  case requestFraming = "request_framing_bytes"
  case requestTrailer = "request_trailer_bytes"
  case requestMessage = "request_bytes"
  case requestIP = "request_ip_bytes"
  case responseStartLine = "response_start_line_bytes"
  case responseHeader = "response_header_bytes"
  case responseBody = "response_body_bytes"
  case responseFraming = "response_framing_bytes"
  case responseTrailer = "response_trailer_bytes"
  case responseMessage = "response_bytes"
  case responseDecodedBody = "response_decoded_body_bytes"
  case responseIP = "response_ip_bytes"
  case missing = "missing_bytes"
  case status4xx = "status_4xx"
  case status5xx = "status_5xx"
  case requestTLS = "request_tls_bytes"
  case responseTLS = "response_tls_bytes"
  case requestControl = "request_control_bytes"
  case responseControl = "response_control_bytes"
  case requestExpandedHeader = "request_expanded_header_bytes"
  case responseExpandedHeader = "response_expanded_header_bytes"
  case inferred = "inferred_bytes"
  case aborted
  case requestTunnel = "request_tunnel_bytes"
  case responseTunnel = "response_tunnel_bytes"

  /// The figure of an API of an analysis.
  func figure(of api: APITotals) -> Int {
    switch self {
    case .requests: api.requests
    case .responses: api.responses
    case .requestStartLine: api.request.octets.startLine
    case .requestHeader: api.request.octets.header
    case .requestBody: api.request.octets.body
    case .requestFraming: api.request.octets.framing
    case .requestTrailer: api.request.octets.trailer
    case .requestMessage: api.request.octets.total
    case .requestIP: api.request.ipLength
    case .responseStartLine: api.response.octets.startLine
    case .responseHeader: api.response.octets.header
    case .responseBody: api.response.octets.body
    case .responseFraming: api.response.octets.framing
    case .responseTrailer: api.response.octets.trailer
    case .responseMessage: api.response.octets.total
    case .responseDecodedBody: api.response.decodedBody
    case .responseIP: api.response.ipLength
    case .missing: api.missing
    case .status4xx: api.status4xx
    case .status5xx: api.status5xx
    case .requestTLS: api.request.tls
    case .responseTLS: api.response.tls
    case .requestControl: api.request.control
    case .responseControl: api.response.control
    case .requestExpandedHeader: api.request.expandedHeader
    case .responseExpandedHeader: api.response.expandedHeader
    case .inferred: api.inferred
    case .aborted: api.aborted
    case .requestTunnel: api.request.tunnel
    case .responseTunnel: api.response.tunnel
    }
  }

  /// Whether a report of the first version has it; one that lacks a later column is read as if it were 0.
  var isOriginal: Bool {
    switch self {
    case .requestTLS, .responseTLS, .requestControl, .responseControl, .requestExpandedHeader, .responseExpandedHeader,
      .inferred, .aborted, .requestTunnel, .responseTunnel:
      false
    default: true
    }
  }

  /// Whether it counts octets, and not messages.
  package var isOctets: Bool { rawValue.hasSuffix("_bytes") }

  /// The most that a report may have of it in all: a pebibyte, or 2⁴⁰ messages. This is far beyond any capture, and small enough
  /// that neither sums nor comparisons of shares overflow.
  var limit: Int { isOctets ? 1 << 50 : 1 << 40 }
}

/// Sums over both directions, or over both kinds of errors.
package enum APISum: String, CaseIterable, Sendable {
  case startLine = "start_line_bytes"
  case header = "header_bytes"
  case body = "body_bytes"
  case framing = "framing_bytes"
  case trailer = "trailer_bytes"
  case message = "message_bytes"
  case ip = "ip_bytes"
  /// Final responses with a 4xx or 5xx status.
  case errors
  /// Octets of TLS records besides the messages.
  case tls = "tls_bytes"

  /// Whether the first version had it. Later columns are at the end of tables.
  var isOriginal: Bool { self != .tls }

  /// The two figures of the sum.
  var columns: (APIColumn, APIColumn) {
    switch self {
    case .startLine: (.requestStartLine, .responseStartLine)
    case .header: (.requestHeader, .responseHeader)
    case .body: (.requestBody, .responseBody)
    case .framing: (.requestFraming, .responseFraming)
    case .trailer: (.requestTrailer, .responseTrailer)
    case .message: (.requestMessage, .responseMessage)
    case .ip: (.requestIP, .responseIP)
    case .errors: (.status4xx, .status5xx)
    case .tls: (.requestTLS, .responseTLS)
    }
  }
}
