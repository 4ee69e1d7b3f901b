import FlyingFox
import FlyingSocks
import Foundation

/// What the server's task does.
struct Serving: Sendable {
  var page: MetricsPage
  var address: MetricsAddress
  var limits: MetricsServer.Limits
  /// Told the port once it is open, or why it cannot be.
  var opened: FirstValue<Result<UInt16, MetricsError>>

  /// Tries to open the port again, one after another, before it is given up: each that fails costs FlyingFox a file
  /// descriptor or two, which it does not close.
  private static let attempts = 10

  /// Serves until the task is cancelled, or at once gives up when the port cannot be opened.
  ///
  /// Once the port was open, it is opened again when the server fails: accepting fails when the process is out of
  /// file descriptors, and a capture that runs for weeks outlives that.
  func untilCancelled() async {
    guard let port = await serve(on: address.port) else { return }
    var failures = 0
    while failures < Self.attempts {
      do { try await Task.sleep(for: .seconds(1)) } catch { return }
      failures = await serve(on: port) == nil ? failures + 1 : 0
    }
  }

  /// Runs one server to its end. Returns the port that it had, nil when it could not open it.
  private func serve(on port: UInt16) async -> UInt16? {
    let server: HTTPServer
    do {
      let pool = BoundedSocketPool(
        HTTPServer.defaultPool(), connectionLimit: limits.connections, patience: limits.patience)
      server = HTTPServer(
        config: HTTPServer.Configuration(
          address: try address.socketAddress(port: port), pool: pool, logger: .disabled))
    } catch {
      opened.settle(.failure(reason(error)))
      return nil
    }
    await addRoutes(to: server)
    return await withTaskGroup(of: UInt16?.self) { group in
      group.addTask {
        do { try await server.run() } catch { opened.settle(.failure(reason(error))) }
        return nil
      }
      group.addTask {
        try? await server.waitUntilListening()
        guard let port = await server.listeningAddress?.port else { return nil }
        opened.settle(.success(port))
        return port
      }
      var port: UInt16?
      // The server has ended, or it never began to listen: either way the other task has nothing left to do.
      for await result in group {
        if let result { port = result } else { group.cancelAll() }
      }
      return port
    }
  }

  private func addRoutes(to server: HTTPServer) async {
    await server.appendRoute("GET /metrics") { [page] _ in
      HTTPResponse(
        statusCode: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: Data(page.octets.withLock { $0 }))
    }
    await server.appendRoute("GET /") { _ in
      HTTPResponse(
        statusCode: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
        body: Data("sniffer's metrics for Prometheus are at /metrics\n".utf8))
    }
  }

  private func reason(_ error: any Error) -> MetricsError {
    guard case SocketError.failed(_, _, let message) = error else {
      return MetricsError("cannot serve metrics on \(address): \(error)")
    }
    return MetricsError("cannot serve metrics on \(address): \(message)")
  }
}

extension Socket.Address {
  fileprivate var port: UInt16? {
    switch self {
    case .ip4(_, let port), .ip6(_, let port): port
    case .unix: nil
    }
  }
}
