/// What is taken for granted of an app when a model is replayed: a capture does not show what the system hid from it.
public struct ModelAssumptions: Sendable, Equatable {
  /// Which request bodies the app gave as a stream, so that `HTTPBody` is nil.
  public enum StreamBodies: String, Sendable, CaseIterable {
    /// None: each is in `HTTPBody`.
    case none
    /// Those sent chunked: the URL loading system sends a body chunked only when it is a stream of unknown length.
    case chunked
    /// All: a URLProtocol of a URLSession gets a stream even of a request that was made with `HTTPBody`.
    case all
  }

  /// Names, in lower case, of the request fields that the URL loading system adds without showing them to a URLProtocol.
  /// `cookie` among them stands for cookies from storage, which models that read the storage add back.
  public static let systemFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "user-agent",
  ]

  /// Names, in lower case, of request fields that a URLProtocol does not see.
  public var invisibleFields = systemFields
  /// Which request bodies came as a stream.
  public var streamBodies = StreamBodies.chunked
  /// Whether CFNetwork says `Transfer-Encoding: Identity` of a response where the wire said `chunked`.
  public var identityForChunked = true
  /// Whether the header counts of URLSessionTaskTransactionMetrics include the empty line. Apple does not say.
  public var metricsHaveEmptyLine = true

  /// What is usual on Apple's platforms.
  public init() {}
}
