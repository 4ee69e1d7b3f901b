import HTTPReassembly

/// The figures of one API, or of several together: counts and octets.
package struct APICounts: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: APIColumn.allCases.count)

  /// All zero.
  package init() {}

  /// The figures of an API of an analysis.
  init(_ api: APITotals) {
    self[.requests] = api.requests
    self[.responses] = api.responses
    let (request, response) = (api.request.octets, api.response.octets)
    self[.requestStartLine] = request.startLine
    self[.requestHeader] = request.header
    self[.requestBody] = request.body
    self[.requestFraming] = request.framing
    self[.requestTrailer] = request.trailer
    self[.requestMessage] = request.total
    self[.requestIP] = api.request.ipLength
    self[.responseStartLine] = response.startLine
    self[.responseHeader] = response.header
    self[.responseBody] = response.body
    self[.responseFraming] = response.framing
    self[.responseTrailer] = response.trailer
    self[.responseMessage] = response.total
    self[.responseDecodedBody] = api.response.decodedBody
    self[.responseIP] = api.response.ipLength
    self[.missing] = api.missing
    self[.status4xx] = api.status4xx
    self[.status5xx] = api.status5xx
    self[.requestTLS] = api.request.tls
    self[.responseTLS] = api.response.tls
    self[.requestControl] = api.request.control
    self[.responseControl] = api.response.control
    self[.requestExpandedHeader] = api.request.expandedHeader
    self[.responseExpandedHeader] = api.response.expandedHeader
    self[.inferred] = api.inferred
    self[.aborted] = api.aborted
  }

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

/// The columns of `apis` that count something, by their names in every report: messages, octets, answers.
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

  /// Whether a report of the first version has it. A missing later column counts as 0.
  var isOriginal: Bool {
    switch self {
    case .requestTLS, .responseTLS, .requestControl, .responseControl, .requestExpandedHeader, .responseExpandedHeader,
      .inferred, .aborted:
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
