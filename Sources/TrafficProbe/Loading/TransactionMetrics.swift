#if !canImport(FoundationNetworking)
  import Foundation

  /// What the system itself counted, on Apple platforms, where it says more than an estimate can.
  ///
  /// The counts of header octets include the start-line; whether they include the empty line is not documented, so the line
  /// keeps its estimate and the header gets the rest. The count of body octets includes chunk framing: it goes to the body as
  /// one figure, and the framing stays unknown (nil). A count of zero or less for a header means that the system did not
  /// count, and the estimate stays.
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
        guard header > records[position].lineLength, body >= 0 else { continue }
        records[position].source = .metrics
        records[position].headerLength = Int(clamping: header) - records[position].lineLength
        records[position].bodyLength = Int(clamping: body)
        if records[position].framingLength != 0 { records[position].framingLength = nil }
      }
    }
  }

  extension TransactionMetrics {
    /// When the message ended, and for a request how long the phases of its exchange took. `connect` is without TLS, which the
    /// system has within its own.
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
