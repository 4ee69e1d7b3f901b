/// URLSessionTaskTransactionMetrics of Apple: what the URL loading system itself counted, one row a transaction.
///
/// Header: `countOfRequestHeaderBytesSent` and `countOfResponseHeaderBytesReceived`, which include the start-line. Body:
/// `countOfRequestBodyBytesSent` and `countOfResponseBodyBytesReceived`, which include chunk framing and codings.
///
/// Assumes that the empty line is counted, which Apple does not say (`ModelAssumptions.metricsHaveEmptyLine`); that every
/// transaction is summed, or redirects vanish; that no count is absent or −1.
/// Source: Apple, URLSessionTaskTransactionMetrics.
struct TaskMetricsModel: TrafficModel {
  /// Whether the empty line is counted.
  let hasEmptyLine: Bool

  func request(_ request: SeenRequest) -> PartLengths? { lengths(request.wire) }

  func response(_ response: SeenResponse) -> PartLengths? { lengths(response.wire) }

  private func lengths(_ wire: WireMessage) -> PartLengths {
    let octets = wire.row.octets
    let emptyLine = hasEmptyLine || octets.header == 0 ? 0 : 2
    return PartLengths(
      header: octets.startLine + octets.header - emptyLine, body: octets.body + octets.framing + octets.trailer)
  }
}
