/// The fields of a HAR 1.2 file's `log` that are needed. Contents, headers and cookies are not kept.
struct HARArchive: Decodable {
  /// The log's producer. HAR 1.2 demands it; some files lack it.
  let creator: Agent?
  /// Its exchanges, which are read one by one (`JSONElements`).
  let entries: [NoEntry]

  /// Stands for the elements of the array, which is empty here.
  struct NoEntry: Decodable {}

  /// A program.
  struct Agent: Decodable {
    let name: String?
    let version: String?

    private enum Key: String, CodingKey { case name, version }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      (name, version) = (container.looseText(.name), container.looseText(.version))
    }
  }
}

/// One exchange.
struct ArchivedEntry: Decodable {
  let startedDateTime: String
  let request: HARMessage
  let response: HARMessage?
  let timings: HARTimings?
  /// Milliseconds of the whole exchange; nil is unknown.
  let time: Double?
  /// Chrome: `memory` or `disk`.
  let cacheKind: String?
  /// Chrome: a service worker answered. Any request that it made has an entry of its own.
  let isFromServiceWorker: Bool
  /// Safari: `Network Load`, `Memory Cache`, `Disk Cache`, `Service Worker` or `Inspector Override`.
  let fetchType: String?

  private enum Key: String, CodingKey {
    case startedDateTime, request, response, timings, time
    case cacheKind = "_fromCache"
    case isFromServiceWorker = "_fetchedViaServiceWorker"
    case fetchType = "_fetchType"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    startedDateTime = try container.decode(String.self, forKey: .startedDateTime)
    request = try container.decode(HARMessage.self, forKey: .request)
    response = try container.decodeIfPresent(HARMessage.self, forKey: .response)
    timings = try container.decodeIfPresent(HARTimings.self, forKey: .timings)
    time = try? container.milliseconds(.time)
    cacheKind = container.looseText(.cacheKind) ?? (container.looseFlag(.cacheKind) ? "cache" : nil)
    isFromServiceWorker = container.looseFlag(.isFromServiceWorker)
    fetchType = container.looseText(.fetchType)
  }
}

/// The needed fields of a request or a response. Sizes of -1 are nil.
struct HARMessage: Decodable {
  let method: String?
  let url: String?
  let status: Int
  let httpVersion: String
  let headersSize: Int?
  let bodySize: Int?
  /// The response's `content.size` and `content.compression`.
  let content: ArchivedContent?
  /// Chrome and Safari: all octets transferred for the response.
  let transferSize: Int?
  /// Chrome, Safari, mitmproxy: the reason why the transfer failed. Playwright names it `_failureText`.
  let error: String?
  /// Charles: `COMPLETE`, `EXCEPTION`, `ABORTED` and others.
  let charlesStatus: String?

  private enum Key: String, CodingKey {
    case method, url, status, httpVersion, headersSize, bodySize, content
    case transferSize = "_transferSize"
    case error = "_error"
    case failure = "_failureText"
    case charlesStatus = "_charlesStatus"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    method = try container.decodeIfPresent(String.self, forKey: .method)
    url = try container.decodeIfPresent(String.self, forKey: .url)
    let code = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
    // Playwright writes -1 for a request without response.
    guard -1...999 ~= code else {
      throw DecodingError.dataCorruptedError(
        forKey: .status, in: container, debugDescription: "expected a status code, found \(code)")
    }
    status = max(code, 0)
    httpVersion = container.looseText(.httpVersion) ?? ""
    headersSize = try container.octets(.headersSize)
    bodySize = try container.octets(.bodySize)
    content = try container.decodeIfPresent(ArchivedContent.self, forKey: .content)
    transferSize = try container.octets(.transferSize)
    let words = container.looseText(.error) ?? container.looseText(.failure)
    error = words.flatMap { $0.isEmpty ? nil : $0 }
    charlesStatus = container.looseText(.charlesStatus)
  }
}

/// The content of a response.
struct ArchivedContent: Decodable {
  let size: Int?
  let compression: Int?

  private enum Key: String, CodingKey { case size, compression }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    size = try container.octets(.size)
    // Here -1 is a real figure: the coding made the content one octet longer.
    if container.contains(.compression), (try? container.decode(Int.self, forKey: .compression)) == -1 {
      compression = -1
    } else {
      compression = try container.octets(.compression)
    }
  }
}

/// Durations of an exchange's phases, in milliseconds; nil when a phase is unknown or did not happen.
struct HARTimings: Decodable {
  let blocked: Double?
  let dns: Double?
  /// HAR 1.2 includes `ssl` here; not all producers do.
  let connect: Double?
  let ssl: Double?
  let send: Double?
  let wait: Double?
  let receive: Double?

  private enum Key: String, CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    blocked = try container.milliseconds(.blocked)
    dns = try container.milliseconds(.dns)
    connect = try container.milliseconds(.connect)
    ssl = try container.milliseconds(.ssl)
    send = try container.milliseconds(.send)
    wait = try container.milliseconds(.wait)
    receive = try container.milliseconds(.receive)
  }
}
