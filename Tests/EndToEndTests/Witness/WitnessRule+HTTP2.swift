import TestSupport

/// What servers and clients count of HTTP/2.
extension WitnessRule {
  static let ofHTTP2 = [
    WitnessRule(
      name: "nginx-frames", reason: "$request_length has the payload of frames without their headers",
      explains: requestLength),
    WitnessRule(
      name: "curl-expands", reason: "curl counts the fields before HPACK, with a start-line that says HTTP/2",
      explains: expanded),
    WitnessRule(
      name: "curl-uploads-content", reason: "size_upload has nothing of the frames that carry the content",
      explains: upload),
  ]

  private static func requestLength(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .requestBytes, it.source == "nginx", let request = it.request, request.isHTTP2 else { return false }
    return it.witnessed(field) == request.integer("message_bytes") - request.integer("framing_bytes")
  }

  private static func expanded(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    switch field {
    case .curlSizeRequest: return it.request.map { $0.isHTTP2 && it.witnessed(field) == $0.expandedHead } ?? false
    case .curlSizeHeader:
      return it.responses.allSatisfy(\.isHTTP2)
        && it.witnessed(field) == it.responses.reduce(0) { $0 + $1.expandedHead }
    default: return false
    }
  }

  private static func upload(_ field: WitnessField, _ it: WitnessedExchange, _ join: WitnessJoin) -> Bool {
    guard field == .curlSizeUpload, let request = it.request, request.isHTTP2 else { return false }
    return it.witnessed(field) == request.integer("body_bytes")
  }
}

extension CSVFile.Row {
  fileprivate var isHTTP2: Bool { self["version"] == "HTTP/2" }
  /// Octets of start-line and header section as curl spells them: `HTTP/2` is two octets shorter than `HTTP/1.1`.
  fileprivate var expandedHead: Int { integer("expanded_start_line_bytes") + integer("expanded_header_bytes") - 2 }
}
