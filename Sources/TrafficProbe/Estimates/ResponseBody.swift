import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a response as transferred: with content coding, without chunk framing.
///
/// Formula: nothing for HEAD, 1xx, 204 and 304 (RFC 9112, section 6.3). Without a content coding, the octets that were delivered.
/// With one, Content-Length, because the delivered octets are decoded. If such a transfer was cut, the part of Content-Length
/// that did arrive, where the error states the missing octets (libcurl's does).
///
/// The system reads the body of a redirect that is followed, and does not deliver it. Its Content-Length stands for it.
///
/// Cannot be known:
/// - A body that is both coded and chunked: zlib's result at level 6 stands in for it, and the record says `coding`.
/// - Chunk framing: the record says `framing`.
struct ResponseBody: Equatable, Sendable {
  /// Octets of content on the wire.
  var octets = 0
  /// The unknown facts behind the figure.
  var unknown: [Unknown] = []

  /// Names of facts about a message that an app cannot know; the record lists them.
  enum Unknown: String, Sendable {
    /// The octets of chunk framing, which are not in the figures.
    case framing
    /// The length of the content before it was decoded.
    case coding
    /// The content of a redirect without Content-Length; counted as 0.
    case content
    /// The octets of the message that passed before it was cut.
    case cut
  }

  /// - Parameters:
  ///   - response: The response.
  ///   - method: The method of the request.
  ///   - delivered: Octets that the system delivered, decoded.
  ///   - recompressed: Octets of the delivered content, compressed again; nil if it was not compressed.
  ///   - missing: Octets that the error states as missing; nil if it states none, or there is no error.
  ///   - isComplete: Whether the transfer ended without an error.
  ///   - isSwallowed: Whether the system did not deliver the content, as for a redirect.
  init(
    of response: HTTPURLResponse, method: String, delivered: Int, recompressed: Int? = nil, missing: Int?,
    isComplete: Bool, isSwallowed: Bool = false
  ) {
    let status = response.statusCode
    if method == "HEAD" || (100..<200).contains(status) || status == 204 || status == 304 { return }
    let isCoded = ResponseBody.isCoded(response)
    let length = ResponseBody.field("Content-Length", of: response).flatMap { Int($0) }
    if ResponseBody.field("Transfer-Encoding", of: response) != nil { unknown.append(.framing) }
    if isSwallowed {
      octets = max(0, length ?? 0)
      if length == nil { unknown.append(.content) }
      return
    }
    if !isCoded {
      octets = delivered
    } else if let length, length >= 0, unknown.isEmpty {
      if isComplete {
        octets = length
      } else if let missing, missing <= length {
        octets = length - missing
      } else {
        octets = min(length, delivered)
        unknown.append(.cut)
      }
    } else {
      octets = recompressed ?? delivered
      unknown.append(.coding)
    }
    if !isComplete, !unknown.contains(.cut), missing == nil { unknown.append(.cut) }
  }

  /// Whether the content was compressed on the wire.
  private static func isCoded(_ response: HTTPURLResponse) -> Bool {
    let coding = field("Content-Encoding", of: response)?.lowercased()
    return coding != nil && coding != "identity" && coding != ""
  }

  /// Whether the system gives no fact that tells the length of the content on the wire.
  static func needsCompression(_ response: HTTPURLResponse) -> Bool {
    guard isCoded(response) else { return false }
    return field("Content-Length", of: response) == nil || field("Transfer-Encoding", of: response) != nil
  }

  /// The value of a field, by its name in any case.
  static func field(_ name: String, of response: HTTPURLResponse) -> String? {
    let name = name.lowercased()
    for (key, value) in response.allHeaderFields where "\(key)".lowercased() == name { return "\(value)" }
    return nil
  }

  /// The octets that libcurl states as missing when the connection closed; nil for other errors.
  static func missing(in error: (any Error)?) -> Int? {
    guard let text = error?.localizedDescription, let mark = text.range(of: "closed with "),
      text.hasSuffix("bytes remaining to read")
    else { return nil }
    return Int(text[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
  }
}
