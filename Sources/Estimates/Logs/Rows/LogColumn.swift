/// The columns of a monitor's table. The raw value is the name in the file, unless it is mapped. A table has one row a message,
/// or one row an exchange: then the figures' names begin with `request_` and `response_`.
public enum LogColumn: String, Sendable, CaseIterable {
  /// Host, or a whole URL of which the authority is taken.
  case host
  /// Path, or a whole URL of which path and query are taken.
  case path
  /// `request`, `response` or `interim`.
  case type
  /// When it happened.
  case time = "occur_time"
  /// Octets of the whole message.
  case length
  /// Octets of the start-line.
  case lineLength = "line_length"
  /// Octets of the header section.
  case headerLength = "header_length"
  /// Octets of the body as transferred.
  case bodyLength = "body_length"
  /// Octets of the body after decoding.
  case decodedLength = "decoded_length"
  /// Method of the request.
  case method
  /// Status code of the response.
  case status
  /// Octets of the whole request, in a table with one row an exchange; so are the following.
  case requestLength = "request_length"
  /// Octets of the request-line.
  case requestLineLength = "request_line_length"
  /// Octets of the request's header section.
  case requestHeaderLength = "request_header_length"
  /// Octets of the request's body as transferred.
  case requestBodyLength = "request_body_length"
  /// Octets of the request's body before a coding.
  case requestDecodedLength = "request_decoded_length"
  /// When the response began.
  case responseTime = "response_start_time"
  /// Octets of the whole response.
  case responseLength = "response_length"
  /// Octets of the status-line.
  case responseLineLength = "response_line_length"
  /// Octets of the response's header section.
  case responseHeaderLength = "response_header_length"
  /// Octets of the response's body as transferred.
  case responseBodyLength = "response_body_length"
  /// Octets of the response's body after decoding.
  case responseDecodedLength = "response_decoded_length"
  /// Octets of the query without the `?`.
  case queryLength = "query_bytes"
  /// Anything but nothing, 0 or false: the transfer failed or was cancelled.
  case error
  /// Whether the response came from a cache.
  case isFromCache = "from_cache"
  /// Where the figures come from; `cache` says that the response came from a cache, as TrafficProbe writes it.
  case source
  /// What the rows of one exchange share, a number or text.
  case exchange
  /// The query without the `?`.
  case query
  /// When the message ended.
  case endTime = "end_time"
  /// Seconds from `time` to the message's end.
  case duration
  /// Milliseconds from `time` to the message's end.
  case durationMilliseconds = "duration_ms"
  /// Milliseconds of the name resolution.
  case dns = "dns_ms"
  /// Milliseconds of the TCP handshake.
  case connect = "connect_ms"
  /// Milliseconds of the TLS handshake.
  case tls = "tls_ms"
  /// Milliseconds from the first octet of the request to its last.
  case send = "send_ms"
  /// Milliseconds from the last octet of the request to the first of the final response.
  case wait = "wait_ms"
  /// Milliseconds from the first octet of the final response to its last.
  case receive = "receive_ms"
  /// Whether the exchange was under way when the log ended.
  case pending
  /// What the log does not know, in words; `pending` among them says that the exchange was under way, as TrafficProbe writes it.
  case unknown

  /// What a table with one row a message has to have; and at least one of `lengths`.
  static let required: [Self] = [.host, .path, .type, .time]
  /// The columns with the figures to verify of a message.
  static let lengths: [Self] = [.length, .lineLength, .headerLength, .bodyLength]
  /// The columns with the figures to verify of an exchange.
  static let exchangeLengths: [Self] = [
    .requestLength, .requestLineLength, .requestHeaderLength, .requestBodyLength, .responseLength, .responseLineLength,
    .responseHeaderLength, .responseBodyLength,
  ]
  /// Columns that only a table with one row a message has.
  static let ofMessages: Set<Self> = Set(lengths + [.type, .decodedLength, .exchange])
  /// Columns that only a table with one row an exchange has.
  static let ofExchanges: Set<Self> = Set(
    exchangeLengths + [.requestDecodedLength, .responseDecodedLength, .responseTime])
  /// The columns of `ExchangeTimings`.
  static let phases: [Self] = [.dns, .connect, .tls, .send, .wait, .receive]
}

/// What a log calls its columns.
public struct LogColumns: Sendable, Equatable {
  /// Names that differ from the column's own.
  public var names: [LogColumn: String] = [:]

  /// The columns' own names.
  public init() {}

  /// Names as `host=Host,path=url_path`: our name, an equals sign, the log's name. The log's name may have anything
  /// but a comma in it. `url` stands for both `host` and `path`. Throws a `LogError` for an unknown or repeated name.
  public init(parsing text: String) throws(LogError) {
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[1].isEmpty else {
        throw LogError("column mapping: expected NAME=COLUMN, found '\(String(pair).shortened())'")
      }
      do throws(LogError) { try set(String(sides[0]), to: String(sides[1])) } catch {
        throw LogError("column mapping: \(error.description)")
      }
    }
  }

  /// Sets a column by our name, or both of them with `url`. Throws a `LogError` for an unknown name, and for one that is set.
  mutating func set(_ name: String, to column: String) throws(LogError) {
    let columns: [LogColumn]
    if name == "url" {
      columns = [.host, .path]
    } else if let known = LogColumn(rawValue: name) {
      columns = [known]
    } else {
      let known = LogColumn.allCases.map(\.rawValue).joined(separator: ", ")
      throw LogError("no column '\(name.shortened())'; there are url, \(known)")
    }
    for known in columns {
      guard names.updateValue(column, forKey: known) == nil else {
        throw LogError("\(known.rawValue) is given twice")
      }
    }
  }

  /// What the log calls a column.
  func name(_ column: LogColumn) -> String { names[column] ?? column.rawValue }
}
