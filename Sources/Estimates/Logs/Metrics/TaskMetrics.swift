/// The URLSessionTaskMetrics of one task, exported under Apple's names.
struct TaskMetrics: Decodable {
  let transactions: [TransactionMetrics]
  /// Redirects that were followed; each should have a transaction of its own.
  let redirectCount: Int
  /// The reason why the task failed or was cancelled. It comes from the delegate's call, not from the metrics.
  let error: String?

  private enum Key: String, CodingKey { case transactionMetrics, redirectCount, error }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    transactions = try container.decode([TransactionMetrics].self, forKey: .transactionMetrics)
    redirectCount = try container.decodeIfPresent(Int.self, forKey: .redirectCount) ?? 0
    error = try container.decodeIfPresent(String.self, forKey: .error)
    guard 0...1_000 ~= redirectCount else {
      throw DecodingError.dataCorruptedError(
        forKey: .redirectCount, in: container, debugDescription: "expected a count, found \(redirectCount)")
    }
  }
}

/// The URLSessionTaskTransactionMetrics of one request and its response. Counts of -1 are nil.
struct TransactionMetrics: Decodable {
  let request: Request
  let response: Response?
  let networkProtocolName: String
  let fetchType: FetchType
  let fetchStartDate: MetricsDate?
  let domainLookupStartDate: MetricsDate?
  let domainLookupEndDate: MetricsDate?
  let connectStartDate: MetricsDate?
  let secureConnectionStartDate: MetricsDate?
  let secureConnectionEndDate: MetricsDate?
  let connectEndDate: MetricsDate?
  let requestStartDate: MetricsDate?
  let requestEndDate: MetricsDate?
  let responseStartDate: MetricsDate?
  let responseEndDate: MetricsDate?
  let requestHeader: Int?
  let requestBody: Int?
  let requestBodyBeforeEncoding: Int?
  let responseHeader: Int?
  let responseBody: Int?
  let responseBodyAfterDecoding: Int?

  /// The request, with the names of URLRequest.
  struct Request: Decodable {
    let url: String
    let httpMethod: String?
  }

  /// The response, with the names of HTTPURLResponse.
  struct Response: Decodable {
    let statusCode: Int
  }

  private enum Key: String, CodingKey {
    case request, response, networkProtocolName, resourceFetchType
    case fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate, secureConnectionStartDate
    case secureConnectionEndDate, connectEndDate, requestStartDate, requestEndDate, responseStartDate, responseEndDate
    case countOfRequestHeaderBytesSent, countOfRequestBodyBytesSent, countOfRequestBodyBytesBeforeEncoding
    case countOfResponseHeaderBytesReceived, countOfResponseBodyBytesReceived, countOfResponseBodyBytesAfterDecoding
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    request = try container.decode(Request.self, forKey: .request)
    response = try container.decodeIfPresent(Response.self, forKey: .response)
    networkProtocolName = try container.decodeIfPresent(String.self, forKey: .networkProtocolName) ?? ""
    fetchType = try container.decodeIfPresent(FetchType.self, forKey: .resourceFetchType) ?? .unknown
    let date = { (key: Key) in try container.decodeIfPresent(MetricsDate.self, forKey: key) }
    fetchStartDate = try date(.fetchStartDate)
    domainLookupStartDate = try date(.domainLookupStartDate)
    domainLookupEndDate = try date(.domainLookupEndDate)
    connectStartDate = try date(.connectStartDate)
    secureConnectionStartDate = try date(.secureConnectionStartDate)
    secureConnectionEndDate = try date(.secureConnectionEndDate)
    connectEndDate = try date(.connectEndDate)
    requestStartDate = try date(.requestStartDate)
    requestEndDate = try date(.requestEndDate)
    responseStartDate = try date(.responseStartDate)
    responseEndDate = try date(.responseEndDate)
    requestHeader = try container.octets(.countOfRequestHeaderBytesSent)
    requestBody = try container.octets(.countOfRequestBodyBytesSent)
    requestBodyBeforeEncoding = try container.octets(.countOfRequestBodyBytesBeforeEncoding)
    responseHeader = try container.octets(.countOfResponseHeaderBytesReceived)
    responseBody = try container.octets(.countOfResponseBodyBytesReceived)
    responseBodyAfterDecoding = try container.octets(.countOfResponseBodyBytesAfterDecoding)
    // A misspelt export would read as a log without figures.
    let counts = [requestHeader, requestBody, responseHeader, responseBody]
    let keys: [Key] = [
      .countOfRequestHeaderBytesSent, .countOfRequestBodyBytesSent, .countOfResponseHeaderBytesReceived,
      .countOfResponseBodyBytesReceived,
    ]
    guard counts.contains(where: { $0 != nil }) || keys.contains(where: container.contains) else {
      throw DecodingError.keyNotFound(
        Key.countOfRequestHeaderBytesSent,
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "none of the counts is there"))
    }
  }
}

/// A date as a number or as text; `LogTime` knows the meaning of numbers.
enum MetricsDate: Decodable {
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }
}

/// URLSessionTaskMetrics.ResourceFetchType, by its raw value or its name.
enum FetchType: Int, Decodable {
  case unknown = 0
  case networkLoad = 1
  case serverPush = 2
  case localCache = 3

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let found: Self?
    if let number = try? container.decode(Int.self) {
      found = Self(rawValue: number)
    } else {
      found =
        switch try container.decode(String.self) {
        case "unknown": .unknown
        case "networkLoad": .networkLoad
        case "serverPush": .serverPush
        case "localCache": .localCache
        default: nil
        }
    }
    guard let found else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected 0 to 3, or unknown, networkLoad, serverPush or localCache")
    }
    self = found
  }
}
