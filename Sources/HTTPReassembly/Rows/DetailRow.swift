/// A row that refines a message, in a table of its own.
///
/// The analysis hands over the details of a message after its row, each once. A new table is a case here, and one in the reports'
/// `DetailTable`.
public enum DetailRow: Sendable, Equatable {
  /// A message of a gRPC call.
  case grpc(GRPCMessage)

  /// The number of the row in its table, from 1 in the order of the rows.
  public var number: Int {
    switch self {
    case .grpc(let message): message.number
    }
  }

  /// Capture time of the row's end, in nanoseconds since the Unix epoch.
  public var time: Int64 {
    switch self {
    case .grpc(let message): message.time
    }
  }
}

/// A message of a gRPC or gRPC-Web call whose last octet was seen. Lengths are octets.
public struct GRPCMessage: Sendable, Equatable {
  /// The number of the row, from 1.
  public var number = 0
  /// The number of the exchange; 0 if it is unknown.
  public var exchange = 0
  /// The number of the HTTP message that has it as content.
  public var message = 0
  /// The direction of the call, as the kind of the HTTP message.
  public var kind = MessageKind.request
  /// The position among the gRPC messages of this direction, from 1.
  public var position = 0
  /// Octets in the content with the prefix of five. In `application/grpc-web-text` they are those behind base64.
  public var length = 5
  /// Octets without the prefix and without compression; nil where a compressed message was not decoded.
  public var decodedLength: Int? = 0
  /// Whether the prefix says that the message is compressed.
  public var isCompressed = false
  /// Capture time of the packet with its last octet, in nanoseconds since the Unix epoch.
  public var time: Int64 = 0

  /// A message without octets.
  public init() {}
}
