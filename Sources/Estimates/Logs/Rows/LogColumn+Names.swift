extension LogColumn {
  /// Names by which an unmapped column is found, its own first, as `folded` writes them. The others are common names in logs of
  /// apps with one meaning only. A name with several meanings has to be mapped.
  var knownNames: [String] { Self.known[self] ?? [Self.folded(rawValue)] }

  /// A name without regard to case and to the characters between words: `request_body_length` is `requestBodyLength`.
  static func folded(_ name: String) -> String {
    String(name.lowercased().unicodeScalars.filter { !["_", "-", " ", "."].contains($0) })
  }

  private static let known = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, [folded($0.rawValue)] + $0.otherNames) })

  /// Other names, folded.
  private var otherNames: [String] {
    // A whole URL has both host and path.
    let urls = ["url", "requesturl", "requesturlstring", "urleffective"]
    return switch self {
    case .host: ["hostname"] + urls
    case .path: ["urlpath"] + urls
    case .time:
      [
        "starttime", "startdate", "startdatestring", "startedat", "requeststarttime", "requestdate", "timestamp",
        "time",
      ]
    case .endTime: ["enddate", "enddatestring", "endedat"]
    case .method: ["httpmethod", "requestmethod", "requesthttpmethod"]
    case .status: ["statuscode", "httpstatus", "httpcode", "responsestatus", "responsestatuscode", "responsecode"]
    case .queryLength: ["querylength"]
    case .query: ["querystring"]
    case .error: ["errormessage", "errordescription"]
    case .isFromCache: ["isfromcache"]
    case .exchange: ["exchangeid", "requestid"]
    case .requestLength: Self.names(["request", "req"], [""]) + ["bytessent", "sentbytes"]
    case .requestLineLength: Self.names(["request", "req"], ["line"])
    case .requestHeaderLength:
      Self.names(["request", "req"], ["header", "headers"]) + ["countofrequestheaderbytessent"]
    case .requestBodyLength:
      Self.names(["request", "req"], ["body", "payload", "content"]) + ["countofrequestbodybytessent"]
    case .requestDecodedLength:
      Self.names(["request", "req"], ["decoded", "bodydecoded", "decodedbody"])
        + ["countofrequestbodybytesbeforeencoding"]
    case .responseTime: ["responsestarttime", "responsestartdate", "responsedate"]
    case .responseLength: Self.names(["response", "resp"], [""]) + ["bytesreceived", "receivedbytes"]
    case .responseLineLength: Self.names(["response", "resp"], ["line"])
    case .responseHeaderLength:
      Self.names(["response", "resp"], ["header", "headers"]) + ["countofresponseheaderbytesreceived"]
    case .responseBodyLength:
      Self.names(["response", "resp"], ["body", "payload", "content"]) + ["countofresponsebodybytesreceived"]
    case .responseDecodedLength:
      Self.names(["response", "resp"], ["decoded", "bodydecoded", "decodedbody"])
        + ["countofresponsebodybytesafterdecoding"]
    default: []
    }
  }

  /// Every way to name a length: `requestbodylength`, `reqbodysize`, …
  private static func names(_ messages: [String], _ parts: [String]) -> [String] {
    messages.flatMap { message in
      parts.flatMap { part in ["length", "size", "bytes"].map { message + part + $0 } }
    }
  }

  /// Names for the octets of both directions together.
  static let sums: Set<String> = ["bytes", "totalbytes", "totallength", "totalsize", "bytestotal", "traffic"]
}
