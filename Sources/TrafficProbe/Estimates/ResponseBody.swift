import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a response as it was transferred: content coding still on, chunk framing off.
///
/// Formula: nothing for HEAD, 1xx, 204 and 304 (RFC 9112, section 6.3). Without a content coding, the octets that were
/// delivered. With one, Content-Length, because what was delivered is decoded. If such a transfer was cut off, the part of
/// Content-Length that did arrive, where the error says what was missing (libcurl's does).
///
/// The body of a redirect that is followed is read by the system and shown to nobody: its Content-Length stands for it.
///
/// Cannot be known: a body that is both coded and chunked (what zlib makes of it at level 6 stands in, and the record says
/// `coding`), and chunk framing (`framing`).
struct ResponseBody: Equatable, Sendable {
  /// Octets of content on the wire.
  var octets = 0
  /// What the figure rests on no knowledge of.
  var unknown: [Unknown] = []

  /// Names of what an app cannot know of a message; the record lists them.
  enum Unknown: String, Sendable {
    /// The octets of chunk framing, which are not in the figures.
    case framing
    /// How long the content was before it was decoded.
    case coding
    /// The content of a redirect without Content-Length; counted as nothing.
    case content
    /// How much of the message passed before it was cut off.
    case cut
  }

  /// - Parameters:
  ///   - response: the response.
  ///   - method: that of the request.
  ///   - delivered: octets that the system delivered, decoded.
  ///   - recompressed: octets of what was delivered, compressed again; nil where that was not done.
  ///   - missing: octets that the error says were still to come; nil if it says nothing, or there is none.
  ///   - isComplete: whether the transfer ended without an error.
  ///   - isSwallowed: whether the system kept the content to itself, as that of a redirect.
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

  /// Whether nothing that the system shows tells how long the content was on the wire.
  static func needsCompression(_ response: HTTPURLResponse) -> Bool {
    guard isCoded(response) else { return false }
    return field("Content-Length", of: response) == nil || field("Transfer-Encoding", of: response) != nil
  }

  /// A field's value, its name in any case.
  static func field(_ name: String, of response: HTTPURLResponse) -> String? {
    let name = name.lowercased()
    for (key, value) in response.allHeaderFields where "\(key)".lowercased() == name { return "\(value)" }
    return nil
  }

  /// The octets that libcurl says were missing when the connection closed; nil for other errors.
  static func missing(in error: (any Error)?) -> Int? {
    guard let text = error?.localizedDescription, let mark = text.range(of: "closed with "),
      text.hasSuffix("bytes remaining to read")
    else { return nil }
    return Int(text[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
  }
}
