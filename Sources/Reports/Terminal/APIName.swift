import HTTPReassembly

/// What people are shown as an API's name.
enum APIName {
  /// Method, host and path, as far as the totals have them, escaped; `redaction` leaves out what may be personal.
  static func string(_ api: APITotals, texts: borrowing TextPool, redaction: Redaction?) -> String {
    let host = texts.octets(api.host)
    let path = texts.octets(api.path)
    let method = texts.octets(api.method)
    if host.isEmpty, path.isEmpty { return "(request not captured)" }
    let name = (redaction?.host(host) ?? host) + (redaction?.path(path) ?? path)
    return TextEscaping.string(method.isEmpty ? name : method + [UInt8(ascii: " ")] + name)
  }
}
