/// HAR of mitmproxy.
///
/// `headersSize` is the length of the header list as Python prints it: no start-line, and for names and values of
/// ASCII, S + 12n + 7 octets where the wire has S + 4n + 2. The response's `bodySize` and `content.size` are both the
/// length as transferred, and `content.compression` is what decoding adds. The request's `bodySize` is after
/// decoding. Nothing tells the length of a whole message.
struct MitmproxyHAR: HARMeaning {
  let dialect = LogDialect.harMitmproxy

  func request(_ message: HARMessage) -> HARFigures {
    HARFigures(headers: message.headersSize, body: message.bodySize, decoded: message.bodySize, whole: nil)
  }

  func response(_ message: HARMessage) -> HARFigures {
    let decoded: Int? =
      if let size = message.content?.size, let added = message.content?.compression { size + added } else { nil }
    return HARFigures(headers: message.headersSize, body: message.bodySize, decoded: decoded, whole: nil)
  }

  /// The entry begins with the client's request; the connection to the server may be older, and `wait` covers it.
  func requestDelay(_ timings: HARTimings, total: Double?) -> Double { 0 }
}
