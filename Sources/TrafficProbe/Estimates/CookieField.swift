import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The Cookie field that the system takes from its storage (RFC 6265, section 5.4).
///
/// On Linux the loader puts it into the task's request, where it is read. On Apple platforms the system adds it later, out of
/// sight. Here it is made the same way, from the same storage, at the time of the request.
///
/// Cannot be known: a cookie that another request sets between this time and the sending.
enum CookieField {
  /// The value to be sent to this URL; nil without one.
  static func value(for url: URL, in configuration: URLSessionConfiguration) -> String? {
    guard configuration.httpShouldSetCookies,
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
    else { return nil }
    let value = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    return value?.isEmpty == false ? value : nil
  }
}
