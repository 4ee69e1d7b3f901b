#if !canImport(FoundationNetworking)
  import Foundation

  /// The system's own counts on Apple platforms, where they are better than an estimate.
  ///
  /// The counts of header octets include the start-line. Whether they include the empty line is not documented, so the line keeps
  /// its estimate and the header gets the rest. The count of body octets includes chunk framing: it goes to the body as one
  /// figure, and the framing stays unknown (nil). Over HTTP/2 and 3 the header count goes to `compressedLength`. A header count of
  /// zero or less means that the system did not count; then the estimate stays.
  enum TransactionMetrics {
    static func apply(_ all: [URLSessionTaskTransactionMetrics]?, at index: Int, to records: inout [TrafficRecord]) {
      guard let all, all.indices.contains(index) else { return }
      let metrics = all[index]
      let isCached = metrics.resourceFetchType == .localCache
      for position in records.indices {
        let isRequest = records[position].kind == .request
        let header = isRequest ? metrics.countOfRequestHeaderBytesSent : metrics.countOfResponseHeaderBytesReceived
        let body = isRequest ? metrics.countOfRequestBodyBytesSent : metrics.countOfResponseBodyBytesReceived
        addTimes(of: metrics, to: &records[position])
        if isCached {
          records[position].neverWasOnTheWire()
          continue
        }
        let version = metrics.networkProtocolName ?? ""
        if version.hasPrefix("http/1") { records[position].compressedLength = nil }
        if version == "h2" || version == "h3", header > 0, body >= 0 {
          // The system counts what went out: compressed fields. Line and header stay text, which an app can compare.
          records[position].source = .metrics
          records[position].compressedLength = Int(clamping: header)
          records[position].bodyLength = Int(clamping: body)
          records[position].framingLength = nil
          continue
        }
        guard header > records[position].lineLength, body >= 0 else { continue }
        records[position].source = .metrics
        records[position].headerLength = Int(clamping: header) - records[position].lineLength
        records[position].bodyLength = Int(clamping: body)
        if records[position].framingLength != 0 { records[position].framingLength = nil }
      }
    }
  }

  extension TransactionMetrics {
    /// The authority of an exchange that began on a new connection; nil for any other.
    static func newHost(_ all: [URLSessionTaskTransactionMetrics]?, at index: Int) -> String? {
      guard let all, all.indices.contains(index), !all[index].isReusedConnection else { return nil }
      return all[index].request.url.map { RequestFields.authority(of: $0).lowercased() }
    }

    /// Adds the message's end, and for a request the durations of its exchange's phases. `connect` is without TLS, which the
    /// system's own figure includes.
    private static func addTimes(of metrics: URLSessionTaskTransactionMetrics, to record: inout TrafficRecord) {
      guard record.kind == .request else {
        if let end = metrics.responseEndDate { record.endTime = end.timeIntervalSince1970 }
        return
      }
      if let end = metrics.requestEndDate { record.endTime = end.timeIntervalSince1970 }
      let handshake = metrics.secureConnectionStartDate ?? metrics.connectEndDate
      record.phases = TrafficRecord.Phases(
        dns: milliseconds(metrics.domainLookupStartDate, metrics.domainLookupEndDate),
        connect: milliseconds(metrics.connectStartDate, handshake),
        tls: milliseconds(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate),
        send: milliseconds(metrics.requestStartDate, metrics.requestEndDate),
        wait: milliseconds(metrics.requestEndDate, metrics.responseStartDate),
        receive: milliseconds(metrics.responseStartDate, metrics.responseEndDate))
    }

    private static func milliseconds(_ start: Date?, _ end: Date?) -> Double? {
      guard let start, let end, end >= start else { return nil }
      return end.timeIntervalSince(start) * 1000
    }
  }

  extension Transfer {
    func didCollect(_ metrics: URLSessionTaskMetrics) { self.metrics = metrics }
  }
#endif
