/// curl's figures of one transfer, by the names of its variables for `--write-out`.
///
/// Since 8.8 `size_request` is everything that was sent. Before 8.8 it is the header section, and the body too if both were sent
/// in one piece (measured with 7.88.1 and 8.23). `size_request` and `size_header` sum over all exchanges of the transfer:
/// redirects, challenges and interim responses. `size_upload` and `size_download` are the coded bodies of the last exchange. An
/// upload includes chunk framing, a download does not.
///
/// Over HTTP/2 curl makes the head as for HTTP/1, with `HTTP/2` in its line. `size_request` counts that text, and since 8.8 the
/// body too (measured with 7.88.1 and 8.23). `size_header` counts the text that curl shows; its status-line is `HTTP/2 200` and a
/// space.
struct CurlTransfer: Decodable {
  /// The URL as given to curl; it may lack a scheme.
  let url: String?
  /// The URL of the last exchange.
  let effectiveURL: String
  /// The method of the last exchange.
  let method: String
  /// The last status code, 0 when there was none.
  let status: Int
  /// curl's exit code: 0 when the transfer succeeded.
  let exitCode: Int
  let redirectCount: Int
  let httpVersion: String
  let sentSize: Int?
  let uploadSize: Int?
  let headerSize: Int?
  let downloadSize: Int?
  let times: Times
  private let version: String

  /// Nanoseconds since the transfer's start; nil is unknown. 0 is a step that did not happen.
  struct Times {
    let resolved: Int64?
    let connected: Int64?
    let secured: Int64?
    let ready: Int64?
    /// Since curl 8.10.
    let sent: Int64?
    let answered: Int64?
    let total: Int64?
  }

  private enum Key: String, CodingKey {
    case url, method, scheme
    case effectiveURL = "url_effective"
    case status = "response_code"
    case olderStatus = "http_code"
    case exitCode = "exitcode"
    case redirectCount = "num_redirects"
    case httpVersion = "http_version"
    case sentSize = "size_request"
    case uploadSize = "size_upload"
    case headerSize = "size_header"
    case downloadSize = "size_download"
    case resolved = "time_namelookup"
    case connected = "time_connect"
    case secured = "time_appconnect"
    case ready = "time_pretransfer"
    case sent = "time_posttransfer"
    case answered = "time_starttransfer"
    case total = "time_total"
    case version = "curl_version"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    url = container.looseText(.url)
    effectiveURL = try container.decode(String.self, forKey: .effectiveURL)
    method = container.looseText(.method) ?? ""
    let code = try container.decodeIfPresent(Int.self, forKey: .status)
    status = try code ?? container.decodeIfPresent(Int.self, forKey: .olderStatus) ?? 0
    exitCode = try container.decodeIfPresent(Int.self, forKey: .exitCode) ?? 0
    redirectCount = try container.decodeIfPresent(Int.self, forKey: .redirectCount) ?? 0
    httpVersion = container.looseText(.httpVersion) ?? ""
    sentSize = try container.octets(.sentSize)
    uploadSize = try container.octets(.uploadSize)
    headerSize = try container.octets(.headerSize)
    downloadSize = try container.octets(.downloadSize)
    times = Times(
      resolved: try container.seconds(.resolved), connected: try container.seconds(.connected),
      secured: try container.seconds(.secured), ready: try container.seconds(.ready),
      sent: try container.seconds(.sent), answered: try container.seconds(.answered),
      total: try container.seconds(.total))
    version = container.looseText(.version) ?? ""
    guard 0...999 ~= status else {
      throw DecodingError.dataCorruptedError(
        forKey: .status, in: container, debugDescription: "expected a status code, found \(status)")
    }
    guard 0...1_000 ~= redirectCount else {
      throw DecodingError.dataCorruptedError(
        forKey: .redirectCount, in: container, debugDescription: "expected a count, found \(redirectCount)")
    }
    // JSON with a URL and without these keys has no figures of octets.
    guard [Key.sentSize, .uploadSize, .headerSize, .downloadSize].contains(where: container.contains) else {
      throw DecodingError.keyNotFound(
        Key.sentSize,
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "none of the sizes is there"))
    }
  }

  /// Whether it was HTTP/2 or HTTP/3: the text of its heads was not on the wire.
  var isEncoded: Bool { httpVersion.hasPrefix("2") || httpVersion.hasPrefix("3") }

  /// Whether `size_request` includes the whole body.
  var countsBodyAsSent: Bool {
    guard let mark = version.firstRange(of: "libcurl/") else { return false }
    let numbers = version[mark.upperBound...].split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0] > 8 || numbers[0] == 8 && numbers[1] >= 8)
  }
}

extension CurlTransfer {
  /// A URL as curl was given it. Up to 7.88 curl writes an octet beyond ASCII as `u` and eight digits. The backslash is missing,
  /// and the digits extend the sign (measured): `uffffffc3` is the octet C3.
  static func repaired(_ url: String) -> String {
    guard url.contains("uffffff") else { return url }
    return url.replacing(/uffffff([89a-f][0-9a-f])/) { match in "%\(match.output.1.uppercased())" }
  }
}
