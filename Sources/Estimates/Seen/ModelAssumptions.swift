/// Assumptions about an app for the replay of a model: a capture does not show the parts that the system hid from the app.
public struct ModelAssumptions: Sendable, Equatable {
  /// The request bodies that the app gave as a stream, so that `HTTPBody` is nil.
  public enum StreamBodies: String, Sendable, CaseIterable {
    /// None: each is in `HTTPBody`.
    case none
    /// Chunked ones: the URL loading system sends a body chunked only when it is a stream of unknown length.
    case chunked
    /// All: a URLProtocol of a URLSession gets a stream even for a request that was made with `HTTPBody`.
    case all
  }

  /// Names, in lower case, of the request fields that the URL loading system adds without showing them to a URLProtocol.
  /// `cookie` among them stands for cookies from storage, which models that read the storage add back.
  public static let systemFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "user-agent",
  ]

  /// Names, in lower case, of request fields that a URLProtocol does not see.
  public var invisibleFields = systemFields
  /// The request bodies that came as a stream.
  public var streamBodies = StreamBodies.chunked
  /// Whether CFNetwork reports `Transfer-Encoding: Identity` for a response that was sent `chunked`.
  public var identityForChunked = true
  /// Whether the header counts of URLSessionTaskTransactionMetrics include the empty line. Apple does not say.
  public var metricsHaveEmptyLine = true

  /// The usual assumptions for Apple's platforms.
  public init() {}
}
