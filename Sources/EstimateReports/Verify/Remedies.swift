import Estimates

extension Cause.Kind {
  /// The remedy for a cause in words; nil where nothing can be done.
  var remedy: String? {
    switch self {
    case .lineNotCounted: "add METHOD SP target SP HTTP/1.1 CRLF, and HTTP/1.1 SP status SP reason CRLF"
    case .queryDropped: "count '?' and the query as sent, too"
    case .percentDecoding, .trailingSlash: "count the path as sent, with its percent-encoding and final slash"
    case .absoluteForm: "count path and query alone"
    case .reasonPhrase: "use the registered phrase; a few bytes stay"
    case .lineTerminator: "count 2 bytes for a line's end"
    case .headerNotCounted: "sum name, value and 4 of each field, and 2"
    case .emptyLine: "add 2 for the empty line"
    case .fieldNotSeen: "add the fields that the system adds, or use task metrics"
    case .cookies: "ask the cookie storage for the URL's cookies"
    case .foldedFields: "split repeated fields again where that is possible"
    case .transferEncodingIdentity: "count 'chunked'"
    case .jsonShape, .printedList, .ownForm, .separators: "count name, value and 4 of each field, and 2"
    case .pseudoFields, .fieldNotSent: "leave them out"
    case .lineInHeader: "count it once"
    case .unit: "log bytes, and do not round"
    case .exchangedColumns: "correct the names of the columns; a server sends the response"
    case .bodyNotCounted: "count body streams and uploads as they are sent, or use task metrics"
    case .decodedContent: "use Content-Length, or the bytes received before decoding"
    case .recompression: "use the bytes received; a second compression has another length"
    case .expectedLengthUnknown: "treat -1 as unknown, and count the bytes that come"
    case .declaredLength, .cachedContent, .redirectContent: "count the bytes that came"
    case .headersInBody: "subtract the header section"
    case .aborted: "mark such rows as failed"
    case .limitedBody: "raise the tool's limit"
    case .charactersForOctets, .utf16Units: "count the bytes of UTF-8"
    case .hopsSummed, .redirect, .sentAgain: "write a row for each request, if that is wanted"
    case .notCaptured, .inferredPairing: "capture again with a larger buffer"
    case .missedByApp: "add the monitor to that session; web views and players have none"
    case .missedByWire: "compare the times, and capture on the interface that is used from the start"
    case .closed: "give the key log of the app with --keys"
    case .leftOut: "compare a part of the capture, or --filter it"
    case .doubled: "write each row once"
    case .otherHost: "log the host of the request that was sent"
    case .otherStatus: "log the status that was received"
    case .timeShifted: "note the time when it happens"
    case .ambiguous: "log the query, the status, and times in milliseconds"
    case .sumOfParts: "find what else the log's total has"
    case .fieldLineShape, .fieldCompression, .version, .chunkFraming, .frameHeaders, .trailers, .interim, .cache,
      .neverSent, .pending:
      nil
    }
  }
}
