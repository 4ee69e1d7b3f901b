/// HAR of Charles. It keeps to HAR 1.2; `_charlesStatus` tells whether a response is whole. What Charles writes
/// itself to explain a failure to the client looks like a response of the server.
struct CharlesHAR: HARMeaning {
  let dialect = LogDialect.harCharles

  func isAborted(_ entry: HAREntry) -> Bool {
    let status = entry.response?.charlesStatus?.lowercased() ?? "complete"
    return status != "complete" || (entry.response?.status ?? 0) == 0
  }

  /// The client's request was there before Charles looked for a server.
  func requestDelay(_ timings: HARTimings, total: Double?) -> Double { 0 }
}
