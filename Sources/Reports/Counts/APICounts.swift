import HTTPReassembly

/// The figures of one API, or of several together: counts and octets.
package struct APICounts: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: APIColumn.allCases.count)

  /// All zero.
  package init() {}

  /// Those of an API of an analysis.
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

  /// Adds the figures of another API. Who reads figures from a file sees to it that sums fit (`APIColumn.limit`).
  mutating func add(_ other: APICounts) {
    for position in counts.indices { counts[position] += other.counts[position] }
  }
}

extension APIColumn {
  private static let positions = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))

  /// Where it stands among all.
  fileprivate var position: Int { Self.positions[self] ?? 0 }
}
