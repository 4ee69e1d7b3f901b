/// The reason why an app's figure differs from the wire's, and the octets that it explains: app minus wire.
public struct Cause: Sendable, Hashable {
  /// The kinds of differences.
  public enum Kind: String, Sendable, CaseIterable {
    // Start-line
    /// The app does not count the start-line.
    case lineNotCounted = "start-line not counted"
    /// The app's request-line has no query.
    case queryDropped = "query dropped"
    /// The app's path, or query, has its percent-encoding removed.
    case percentDecoding = "percent-decoding"
    /// The app's path lacks its final slash.
    case trailingSlash = "trailing slash dropped"
    /// The app counts the whole URL where the wire has origin-form (RFC 9112 §3.2.1).
    case absoluteForm = "whole URL in the request-line"
    /// The app has another reason phrase than the server sent (RFC 9112 §4), or none.
    case reasonPhrase = "reason phrase"
    /// Lines of the app end with one octet, or none, instead of CR LF.
    case lineTerminator = "line terminator"

    // Header section
    /// The app does not count the header section.
    case headerNotCounted = "header section not counted"
    /// The app lacks the empty line at the end of the header section.
    case emptyLine = "empty line missing"
    /// The app did not see a field; `detail` names it.
    case fieldNotSeen = "field not seen by the app"
    /// The app did not see the cookies.
    case cookies = "cookies"
    /// The app was given repeated fields as one, their values joined by a comma (RFC 9110 §5.3).
    case foldedFields = "repeated fields folded"
    /// CFNetwork names the transfer coding Identity where the wire said chunked.
    case transferEncodingIdentity = "Transfer-Encoding named Identity"
    /// The app counts the fields as JSON.
    case jsonShape = "fields as JSON"
    /// The app counts the fields as a program prints a list of them.
    case printedList = "fields as a printed list"
    /// The app counts the fields in a form of its own; `detail` has its formula.
    case ownForm = "fields in the app's own form"
    /// The app counts names and values without the separators.
    case separators = "separators not counted"
    /// The wire has other whitespace, folding or line ends than field lines written canonically.
    case fieldLineShape = "field lines not canonical on the wire"
    /// The app counts fields as text where the wire has compressed representations (RFC 7541).
    case fieldCompression = "field compression"
    /// The app writes the version of a message on HTTP/2 or HTTP/3 with another length than `HTTP/1.1`.
    case version = "protocol version"
    /// The app counts a field that HTTP/2 and HTTP/3 do not send (RFC 9113 §8.2.2, RFC 9114 §4.2); `detail` names it.
    case fieldNotSent = "field not sent"
    /// The app counts pseudo-header fields as fields (RFC 9113 §8.3).
    case pseudoFields = "pseudo-header fields counted as fields"
    /// The app counts the start-line as part of the header section.
    case lineInHeader = "start-line counted in the header section"

    // Any figure
    /// The log has another unit than octets, or rounds; `detail` names it.
    case unit = "figures in another unit"
    /// The log has the figures of two parts in each other's column; `detail` names them. No octets.
    case exchangedColumns = "columns exchanged"

    // Body
    /// The app does not count the body.
    case bodyNotCounted = "body not counted"
    /// The app counts the content after decoding.
    case decodedContent = "content measured after decoding"
    /// The app compressed the content again, at another level or with another encoder than the sender.
    case recompression = "re-compression"
    /// The app counts a length of -1 for a response without Content-Length.
    case expectedLengthUnknown = "expected length -1"
    /// The app counts the length in Content-Length where no content, or another amount, was sent.
    case declaredLength = "declared length counted"
    /// The app's body has, or lacks, the chunk framing.
    case chunkFraming = "chunk framing"
    /// The app's figure has, or lacks, the headers of frames and their padding (RFC 9113 §4.1).
    case frameHeaders = "frame headers"
    /// The app's body has, or lacks, the trailer section.
    case trailers = "trailers"
    /// The app counts start-line and header section in the body too.
    case headersInBody = "header section counted in the body"
    /// The transfer was cut short: app and wire counted up to different points.
    case aborted = "aborted transfer"
    /// The tool keeps only a limited part of a body.
    case limitedBody = "body cut at the tool's limit"
    /// The app counts the characters of a text instead of its octets.
    case charactersForOctets = "characters for octets"
    /// The app counts the UTF-16 units of a text instead of its octets.
    case utf16Units = "UTF-16 units for octets"
    /// The app counts content that came from a cache, after a 304 (RFC 9110 §15.4.5).
    case cachedContent = "cached content counted"
    /// The app counts the content of the redirection's target.
    case redirectContent = "content of the redirection's target"
    /// The app counts several messages in one row: the hops of a redirection, or a request and its repetition with credentials.
    case hopsSummed = "several messages in one row"
    /// The capture has lost octets of the message.
    case notCaptured = "octets lost by the capture"

    // Messages
    /// The app's log has no row for a message on the wire.
    case missedByApp = "missed by the app"
    /// The app's log has no row for one hop of a redirection.
    case redirect = "redirect counted once"
    /// The request got no answer, and the client sent it again (RFC 9110 §9.2.2).
    case sentAgain = "sent again"
    /// Interim responses are never shown to an app (RFC 9110 §15.2).
    case interim = "interim response"
    /// The wire has no message for a row of the app's log: the capture lost it, or it took another way.
    case missedByWire = "missed by the wire"
    /// The connections of TLS to the row's host were not opened, and one of them may have its message.
    case closed = "closed connection"
    /// The message may be one of those beyond the limit, which were not kept for the comparison.
    case leftOut = "message left out of the comparison"
    /// The response came from a cache.
    case cache = "served from a cache"
    /// The log says that the transfer failed before anything was sent.
    case neverSent = "failed before anything was sent"
    /// The log has another status than the wire; `detail` has both. No octets.
    case otherStatus = "another status in the log"
    /// The log has the message twice.
    case doubled = "row is there twice"
    /// The log has the message under another host.
    case otherHost = "logged at another host"
    /// The log has the message at another time. No octets.
    case timeShifted = "logged at another time"
    /// Another message with other figures is as likely for the row. No octets: they stay unexplained.
    case ambiguous = "pairing is ambiguous"
    /// The capture lacks packets, and the response on the wire may be another request's. No octets: they stay unexplained.
    case inferredPairing = "pairing on the wire is inferred"
    /// The exchange was under way when the log ended.
    case pending = "under way when the log ended"
    /// The app's total is not the sum of its parts.
    case sumOfParts = "total is not the sum of the parts"

    /// Whether the cause is about octets that no app can see.
    var isInvisible: Bool { self == .chunkFraming || self == .frameHeaders || self == .trailers || self == .interim }

    /// Whether the cause is the coding of HTTP/2 and HTTP/3: frames, and compressed fields in place of their text.
    var isCoding: Bool { self == .frameHeaders || self == .fieldCompression }

    /// The octets beside fields and content in a message: chunk framing, or headers of frames.
    static func framing(of message: WireMessage) -> Kind { message.isEncoded ? .frameHeaders : .chunkFraming }

    /// Whether the cause tells something about a row even when it explains no octets.
    var isNote: Bool {
      switch self {
      case .timeShifted, .ambiguous, .inferredPairing, .sumOfParts, .doubled, .otherHost, .exchangedColumns,
        .neverSent, .otherStatus:
        true
      default: false
      }
    }
  }

  /// The kind.
  public var kind: Kind
  /// The field's name in lower case for kinds about a field; else empty. It comes from the wire and is not escaped.
  public var detail: String
  /// Octets that the cause explains: app minus wire.
  public var octets: Int

  /// A cause.
  public init(_ kind: Kind, _ octets: Int, detail: String = "") {
    self.kind = kind
    self.detail = detail
    self.octets = octets
  }

  /// Kind and detail for people: "field not seen by the app (host)".
  public var name: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(detail))" }
}

extension [Cause] {
  /// Octets that the causes explain together.
  public var octets: Int { reduce(0) { $0 + $1.octets } }

  /// The causes that explain octets or tell something about the row.
  var significant: [Cause] { filter { $0.octets != 0 || $0.kind.isNote } }
}
