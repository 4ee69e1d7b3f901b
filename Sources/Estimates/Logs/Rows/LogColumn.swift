/// The columns of a monitor's table. The raw value is the name in the file, unless it is mapped. A table has one row a message,
/// or one row an exchange. For exchanges the figures' names begin with `request_` and `response_`.
public enum LogColumn: String, Sendable, CaseIterable {
  /// Host, or a whole URL whose authority is taken.
  case host
  /// Path, or a whole URL whose path and query are taken.
  case path
  /// `request`, `response` or `interim`.
  case type
  /// The time of the message.
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
  /// Octets of the whole request, in a table with one row an exchange, as for the following columns.
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
  /// The time when the response began.
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
  /// A failed or cancelled transfer: any value but an absent one, 0 or false.
  case error
  /// Whether the response came from a cache.
  case isFromCache = "from_cache"
  /// The source of the figures; `cache` says that the response came from a cache, as TrafficProbe writes it.
  case source
  /// A number or text that the rows of one exchange share.
  case exchange
  /// The query without the `?`.
  case query
  /// The time when the message ended.
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
  /// Words for the facts that the log lacks. The word `pending` says that the exchange was under way, as TrafficProbe writes it.
  case unknown
  /// The number of requests that a row sums up. No message on the wire has the figures of a sum.
  case count

  /// The required columns of a table with one row a message, besides at least one of `lengths`.
  static let required: [Self] = [.host, .path, .type, .time]
  /// The columns of a message's figures to verify.
  static let lengths: [Self] = [.length, .lineLength, .headerLength, .bodyLength]
  /// The columns of an exchange's figures to verify.
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

/// A log's names for its columns.
public struct LogColumns: Sendable, Equatable {
  /// Names that differ from the column's own.
  public var names: [LogColumn: String] = [:]

  /// The columns with their own names.
  public init() {}

  /// Parses names such as `host=Host,path=url_path`: our name, an equals sign, the log's name. The log's name may have any
  /// character but a comma. `url` stands for both `host` and `path`. Throws a `LogError` for an unknown or repeated name.
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

  /// Sets a column by our name; `url` sets host and path. Throws a `LogError` for an unknown name, and for a name that is set
  /// already.
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

  /// The log's name for a column.
  func name(_ column: LogColumn) -> String { names[column] ?? column.rawValue }
}
