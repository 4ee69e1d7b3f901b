import TestSupport

/// A column of a witness, and what sniffer says of the same thing before any difference of definition is considered.
enum WitnessField: String, CaseIterable, Sendable {
  case method
  case host
  case path
  case queryBytes = "query_bytes"
  case status
  case requestBytes = "request_bytes"
  case responseBytes = "response_bytes"
  case responseBodyBytes = "response_body_bytes"
  case curlSizeRequest = "curl_size_request"
  case curlSizeHeader = "curl_size_header"
  case curlSizeDownload = "curl_size_download"
  case curlSizeUpload = "curl_size_upload"
  case clientRequestBytes = "client_request_bytes"
  case clientResponseBytes = "client_response_bytes"
  case decodedBytes = "decoded_bytes"

  /// Whether sniffer's figure is of the request.
  var isOfRequest: Bool {
    switch self {
    case .method, .host, .path, .queryBytes, .requestBytes, .curlSizeRequest, .curlSizeUpload, .clientRequestBytes: true
    default: false
    }
  }

  /// What sniffer says; empty if it has no such row.
  func value(of exchange: WitnessedExchange) -> String {
    if isOfRequest {
      guard let request = exchange.request else { return "" }
      switch self {
      case .method: return request["method"]
      case .host: return request["host"]
      case .path: return request["path"]
      // Empty stands for a target without "?"; the witnesses have 0.
      case .queryBytes: return "\(request.integer("query_bytes"))"
      case .curlSizeRequest: return "\(request.head)"
      case .curlSizeUpload: return "\(request.transferredBody)"
      default: return "\(request.integer("message_bytes"))"
      }
    }
    switch self {
    case .status: return exchange.finalResponse?["status"] ?? ""
    case .decodedBytes: return exchange.finalResponse?["decoded_body_bytes"] ?? ""
    case .responseBodyBytes, .curlSizeDownload: return "\(exchange.responses.sum("body_bytes"))"
    case .curlSizeHeader: return "\(exchange.responses.reduce(0) { $0 + $1.head })"
    default: return "\(exchange.responses.sum("message_bytes"))"
    }
  }

  /// What the witness says; nil if it says nothing.
  func witnessed(_ row: CSVFile.Row) -> String? {
    let value = row[rawValue]
    return value.isEmpty ? nil : self == .host ? value.lowercased() : value
  }
}

extension CSVFile.Row {
  /// Octets of a message's start-line and header section.
  var head: Int { integer("start_line_bytes") + integer("header_bytes") }
  /// Octets of a message's body with its chunk framing and trailers.
  var transferredBody: Int { integer("body_bytes") + integer("framing_bytes") + integer("trailer_bytes") }
  /// Words of a cell that lists them.
  func words(_ column: String) -> [Substring] { self[column].split(separator: " ") }
}
