import Foundation

/// The needed part of Chrome's network log (`--log-net-log`), without its events, which are read one by one (`JSONElements`).
///
/// The file defines its own numbers: `constants` has the numbers of event and source types in this version of Chrome.
struct Netlog: Decodable {
  /// The meanings of the numbers in events.
  let names: NetlogEvent.Names
  /// Milliseconds from 1970 to the log's own zero.
  let tickOffset: Int64

  private enum Key: String, CodingKey { case constants, events }
  private enum ConstantKey: String, CodingKey { case logEventTypes, logSourceType, logEventPhase, timeTickOffset }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let constants = try container.nestedContainer(keyedBy: ConstantKey.self, forKey: .constants)
    let types = try constants.decode([String: Int].self, forKey: .logEventTypes)
    let sources = try constants.decode([String: Int].self, forKey: .logSourceType)
    let phases = try constants.decode([String: Int].self, forKey: .logEventPhase)
    tickOffset = try constants.milliseconds(.timeTickOffset)
    var kinds: [Int: NetlogEvent.Kind] = [:]
    for kind in NetlogEvent.Kind.allCases { if let type = types[kind.rawValue] { kinds[type] = kind } }
    // Without these a log of another kind would look like a log without traffic.
    guard let request = sources["URL_REQUEST"], let begin = phases["PHASE_BEGIN"], let end = phases["PHASE_END"],
      types[NetlogEvent.Kind.startJob.rawValue] != nil, types[NetlogEvent.Kind.requestHeaders.rawValue] != nil
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .constants, in: container,
        debugDescription:
          "expected URL_REQUEST, URL_REQUEST_START_JOB and HTTP_TRANSACTION_SEND_REQUEST_HEADERS among them")
    }
    names = NetlogEvent.Names(kinds: kinds, request: request, begin: begin, end: end)
    _ = try container.nestedUnkeyedContainer(forKey: .events)
  }
}

extension KeyedDecodingContainer {
  /// Whole milliseconds, a number or text, within the years 1970 to 2199.
  fileprivate func milliseconds(_ key: Key) throws -> Int64 {
    let number = try (try? decode(Int64.self, forKey: key)) ?? Int64(decode(String.self, forKey: key)) ?? -1
    guard 0..<7_258_118_400_000 ~= number else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "expected milliseconds")
    }
    return number
  }
}

/// One event of a request.
struct NetlogEvent {
  /// The events that are needed, by Chrome's names.
  enum Kind: String, CaseIterable {
    case startJob = "URL_REQUEST_START_JOB"
    case alive = "REQUEST_ALIVE"
    case cancelled = "CANCELLED"
    case failed = "FAILED"
    case sendRequest = "HTTP_TRANSACTION_SEND_REQUEST"
    case requestHeaders = "HTTP_TRANSACTION_SEND_REQUEST_HEADERS"
    case http2RequestHeaders = "HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS"
    case quicRequestHeaders = "HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS"
    case requestBody = "HTTP_TRANSACTION_SEND_REQUEST_BODY"
    case responseHeaders = "HTTP_TRANSACTION_READ_RESPONSE_HEADERS"
    case earlyHints = "HTTP_TRANSACTION_READ_EARLY_HINTS_RESPONSE_HEADERS"
    case readBody = "HTTP_TRANSACTION_READ_BODY"
    case codedOctets = "URL_REQUEST_JOB_BYTES_READ"
    case octets = "URL_REQUEST_JOB_FILTERED_BYTES_READ"
    case readCache = "HTTP_CACHE_READ_INFO"
  }

  /// Whether the event begins or ends an activity, or stands alone.
  enum Phase { case begin, end, none }

  let kind: Kind
  let phase: Phase
  /// The number of its request.
  let source: Int
  /// Milliseconds on the log's own clock.
  let time: Int64
  let parameters: Parameters

  /// The needed parameters; nil where an event has none.
  struct Parameters: Decodable {
    var url: String?
    var method: String?
    var line: String?
    var headers: [String]?
    var length: Int?
    var isChunked: Bool?
    var byteCount: Int?
    var netError: Int?

    private enum Key: String, CodingKey {
      case url, method, line, headers, length
      case isChunked = "is_chunked"
      case byteCount = "byte_count"
      case netError = "net_error"
    }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      url = try container.decodeIfPresent(String.self, forKey: .url)
      method = container.looseText(.method)
      line = container.looseText(.line)
      headers = try container.decodeIfPresent([String].self, forKey: .headers)
      length = try container.octets(.length)
      isChunked = container.looseFlag(.isChunked)
      byteCount = try container.octets(.byteCount)
      netError = try container.decodeIfPresent(Int.self, forKey: .netError)
    }
  }

  /// The meanings of a file's numbers.
  struct Names {
    let kinds: [Int: Kind]
    let request: Int
    let begin: Int
    let end: Int
  }

  /// An event whose numbers are not resolved. Parameters are read only for the needed events; other events can have any.
  struct Raw: Decodable {
    private let container: KeyedDecodingContainer<Key>
    private let source: Source
    private let type: Int

    private struct Source: Decodable {
      let id: Int
      let type: Int
    }
    private enum Key: String, CodingKey { case phase, source, time, type, params }

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: Key.self)
      source = try container.decode(Source.self, forKey: .source)
      type = try container.decode(Int.self, forKey: .type)
    }

    /// The event; nil when it is not needed.
    func event(_ names: Names) throws -> NetlogEvent? {
      guard source.type == names.request, let kind = names.kinds[type] else { return nil }
      let phase = try container.decodeIfPresent(Int.self, forKey: .phase)
      return NetlogEvent(
        kind: kind, phase: phase == names.begin ? .begin : phase == names.end ? .end : .none, source: source.id,
        time: try container.milliseconds(.time),
        parameters: try container.decodeIfPresent(Parameters.self, forKey: .params) ?? Parameters())
    }
  }
}
