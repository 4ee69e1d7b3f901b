import NIOCore
import NIOPosix

@testable import MetricsEndpoint

/// A client that sends just what it is told to.
enum RawClient {
  /// Connects, and takes what comes only when it is asked for it.
  static func connect(_ address: MetricsAddress) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(to: address.socketAddress) {
      channel in
      channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
    }
  }

  /// Sends octets, and returns what comes until the server closes; one that resets has closed, too.
  static func ask(_ address: MetricsAddress, _ octets: String) async throws -> String {
    try await ask(connect(address), octets)
  }

  /// The same on a connection that is there already.
  static func ask(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ octets: String) async throws -> String {
    try await connection.executeThenClose { inbound, outbound in
      var answer = ByteBuffer()
      do {
        try await outbound.write(ByteBuffer(string: octets))
        for try await piece in inbound { answer.writeImmutableBuffer(piece) }
      } catch is IOError {
      } catch is ChannelError {}
      return String(buffer: answer)
    }
  }
}
