import HTTPReassembly

/// What is shown of one API, or of all that share its labels: the figures, in the order of `series`.
struct APIFigures {
  /// The metric and the labels, beside the API's own, of each figure.
  static let series: [(family: CaptureFamily, labels: [(String, String)])] =
    [(.apiRequests, []), (.apiResponses, []), (.apiErrors, [("class", "4xx")]), (.apiErrors, [("class", "5xx")])]
    + ["up", "down"].flatMap { direction in
      ["start_line", "header", "body", "framing", "trailer", "retransmitted", "overhead"].map { part in
        (.apiOctets, [("direction", direction), ("part", part)])
      }
    }

  private(set) var values = InlineArray<18, Int>(repeating: 0)

  /// Adds an API.
  mutating func add(_ api: APITotals) {
    values[0] += api.requests
    values[1] += api.responses
    values[2] += api.status4xx
    values[3] += api.status5xx
    add(api.request, at: 4)
    add(api.response, at: 11)
  }

  private mutating func add(_ direction: APIOctets, at first: Int) {
    values[first] += direction.octets.startLine
    values[first + 1] += direction.octets.header
    values[first + 2] += direction.octets.body
    values[first + 3] += direction.octets.framing
    values[first + 4] += direction.octets.trailer
    values[first + 5] += direction.retransmitted
    values[first + 6] += direction.overhead
  }
}
