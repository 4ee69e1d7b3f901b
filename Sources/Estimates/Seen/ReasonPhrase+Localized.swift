import Shared

extension ReasonPhrase {
  /// The result of `HTTPURLResponse.localizedString(forStatusCode:)` in English. It is the registered phrase in lower case with
  /// an exception, and the name of its class for a status without one.
  static func localized(_ status: Int) -> String {
    if status == 200 { return "no error" }
    if let phrase = registered[status] { return phrase.lowercased() }
    return switch status {
    case 100..<200: "informational"
    case 200..<300: "success"
    case 300..<400: "redirected"
    case 400..<500: "client error"
    default: "server error"
    }
  }
}
