import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The header section of a response, as the server sent it.
///
/// Formula: name + `: ` + value + CRLF for each field that the system delivers, and the empty line. Set-Cookie, which the system
/// folds into one value, is unfolded. CFNetwork's `Identity` becomes `chunked` again.
///
/// Cannot be known:
/// - White space around values, which parsers strip.
/// - Other fields that were sent in several lines and folded into one: each fold hides the length of its name and two octets.
/// - Interim responses (1xx), which the system does not deliver.
/// - Trailers.
enum ResponseFields {
  static func lines(of response: HTTPURLResponse) -> [ExpectedField] {
    response.allHeaderFields.flatMap { name, value -> [ExpectedField] in
      let name = "\(name)"
      let value = "\(value)"
      switch name.lowercased() {
      case "set-cookie":
        return unfolded(value).map { ExpectedField(name: name, value: $0) }
      case "transfer-encoding" where value == "Identity":
        return [ExpectedField(name: name, value: "chunked")]
      default:
        return [ExpectedField(name: name, value: value)]
      }
    }
  }

  /// The media type of the content, lower case, without parameters; empty if the server names none (RFC 9110, section 8.3).
  static func mediaType(of response: HTTPURLResponse) -> String {
    let value = ResponseBody.field("Content-Type", of: response) ?? ""
    return value.prefix { $0 != ";" && $0 != "," }.trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// Splits folded cookies. A comma starts a new cookie only if a token and `=` follow it before any `;`. After the comma of an
  /// Expires date, a day without `=` follows (RFC 6265, section 4.1.1).
  static func unfolded(_ value: String) -> [String] {
    var cookies: [String] = []
    var start = value.startIndex
    var index = value.startIndex
    while let comma = value[index...].firstIndex(of: ",") {
      let next = value.index(after: comma)
      let rest = value[next...]
      let end = rest.firstIndex { $0 == "=" || $0 == ";" || $0 == "," }
      if let end, value[end] == "=", rest.first == " ", isToken(rest[..<end].dropFirst()) {
        cookies.append(String(value[start..<comma]))
        start = value.index(after: next)
      }
      index = next
    }
    cookies.append(String(value[start...]))
    return cookies
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
  }
}
