extension LogColumn {
  /// Names by which an unmapped column is found, as `folded` writes them. They are its own one and common names in logs of
  /// apps with one meaning only. A name with several meanings has to be mapped.
  var knownNames: [String] { Self.known[self] ?? [Self.folded(rawValue)] }

  /// A name without regard to case and to the characters between words: `request_body_length` is `requestBodyLength`.
  static func folded(_ name: String) -> String {
    String(name.lowercased().unicodeScalars.filter { !["_", "-", " ", "."].contains($0) })
  }

  private static let known = Dictionary(
    uniqueKeysWithValues: allCases.map { column in
      let own = [folded(column.rawValue)]
      // Beside a column that surely has the code, one named status has words.
      return (column, column == .status ? column.otherNames + own : own + column.otherNames)
    })

  /// Other names, folded.
  private var otherNames: [String] {
    // A whole URL has both host and path.
    let urls = ["url", "requesturl", "requesturlstring", "urleffective", "urlfull", "requesturlfull"]
    return switch self {
    case .host: ["hostname", "requesthost", "urlhost", "requesturlhost", "urldomain", "authority"] + urls
    case .path: ["urlpath", "requestpath", "requesturlpath", "requesturi"] + urls
    case .time:
      [
        "starttime", "startdate", "startdatestring", "startedat", "starteddatetime", "timestart", "timesstart",
        "requeststarttime", "requeststartdate", "requestdate", "requesttimestamp", "timestamp", "@timestamp", "time",
        "ts",
      ]
    case .endTime: ["enddate", "enddatestring", "endedat", "timeend", "timesend"]
    case .method: ["httpmethod", "requestmethod", "requesthttpmethod"]
    case .status: ["statuscode", "httpstatus", "httpcode", "responsestatus", "responsestatuscode", "responsecode"]
    case .queryLength: ["querylength"]
    case .query: ["querystring"]
    case .error: ["errormessage", "errordescription"]
    case .isFromCache: ["isfromcache"]
    case .exchange: ["exchangeid", "requestid"]
    case .count: ["requests", "requestcount", "hits", "hitcount", "calls", "callcount"]
    case .requestLength: Self.names(["request", "req"], [""]) + ["bytessent", "sentbytes"]
    case .requestLineLength: Self.names(["request", "req"], ["line"])
    case .requestHeaderLength:
      Self.names(["request", "req"], ["header", "headers"]) + ["countofrequestheaderbytessent"]
    case .requestBodyLength:
      Self.names(["request", "req"], ["body", "payload", "content"]) + ["countofrequestbodybytessent"]
    case .requestDecodedLength:
      Self.names(["request", "req"], ["decoded", "bodydecoded", "decodedbody"])
        + ["countofrequestbodybytesbeforeencoding"]
    case .responseTime: ["responsestarttime", "responsestartdate", "responsedate", "responsetimestamp"]
    case .responseLength: Self.names(["response", "resp", "res"], [""]) + ["bytesreceived", "receivedbytes"]
    case .responseLineLength: Self.names(["response", "resp", "res"], ["line"])
    case .responseHeaderLength:
      Self.names(["response", "resp", "res"], ["header", "headers"]) + ["countofresponseheaderbytesreceived"]
    case .responseBodyLength:
      Self.names(["response", "resp", "res"], ["body", "payload", "content"]) + ["countofresponsebodybytesreceived"]
    case .responseDecodedLength:
      Self.names(["response", "resp", "res"], ["decoded", "bodydecoded", "decodedbody"])
        + ["countofresponsebodybytesafterdecoding"]
    default: []
    }
  }

  /// Every way to name a length: `requestbodylength`, `reqbodysize`, `requestsizesbody`, …
  private static func names(_ messages: [String], _ parts: [String]) -> [String] {
    messages.flatMap { message -> [String] in
      parts.flatMap { part -> [String] in
        let behind = ["length", "size", "bytes"].map { message + part + $0 }
        return part.isEmpty ? behind : behind + ["length", "size", "bytes", "sizes"].map { message + $0 + part }
      }
    }
  }

  /// The ends of names for octets.
  static let lengthWords = ["length", "size", "bytes", "octets"]
  /// Names for one direction.
  static let sides: Set<String> = ["request", "req", "response", "resp", "res"]
  /// Names for the octets of both directions together.
  static let sums: Set<String> = ["bytes", "totalbytes", "totallength", "totalsize", "bytestotal", "traffic"]
}
