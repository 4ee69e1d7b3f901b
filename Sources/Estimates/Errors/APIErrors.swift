/// The models' errors for one API: a host and path, and a method when that is asked for.
public struct APIErrors: Sendable {
  /// Host as on the wire; empty for responses whose request was not captured.
  public var host: [UInt8]
  /// Path as on the wire, or its template.
  public var path: [UInt8]
  /// Method; empty unless errors are grouped by it.
  public var method: [UInt8]
  /// Requests seen.
  public internal(set) var requests = 0
  /// Final responses seen.
  public internal(set) var responses = 0
  /// Interim responses seen. They count among the messages of the responses' direction.
  public internal(set) var interim = 0
  /// Requests, by model.
  public internal(set) var request: [ErrorSums]
  /// Final and interim responses, by model.
  public internal(set) var response: [ErrorSums]
}
