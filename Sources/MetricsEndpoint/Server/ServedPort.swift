import Shared
import SystemPackage

/// A port that is opened first and served later, by a thread of its own. A process can make and bind sockets only before it gives its rights
/// up. It starts threads afterwards.
final class ServedPort: Sendable {
  /// An open port.
  private struct Opened {
    let port: ListeningSocket
    let calls: (reading: Socket, writing: Socket)
  }

  private enum State {
    case closed
    case open(Opened)
    case served(SystemThread, calls: Socket)
  }

  private let address: MetricsAddress
  /// The name of the service in errors.
  private let purpose: String
  private let state = Locked(State.closed)

  /// Opens nothing yet. `purpose` names the service in errors, as in "cannot serve metrics".
  init(_ address: MetricsAddress, for purpose: String) {
    self.address = address
    self.purpose = purpose
  }

  deinit { stop() }

  /// Opens the port without a thread: clients wait until `start`. Returns the address; the system chooses the port for 0.
  /// Throws when the port cannot be opened.
  func open() throws(MetricsError) -> MetricsAddress {
    stop()
    do throws(Errno) {
      let port = try ListeningSocket(address.address, port: address.port)
      do throws(Errno) {
        let opened = Opened(port: port, calls: try Socket.pipe())
        state.withLock { $0 = .open(opened) }
        return address.with(port: port.port)
      } catch {
        port.socket.close()
        throw error
      }
    } catch {
      throw failure(error)
    }
  }

  /// Begins to serve, and opens the port unless it is open. `service` makes the service from the address. Returns the address. Throws when the
  /// port cannot be opened.
  func start(
    _ limits: ConnectionLimits, _ service: (MetricsAddress) -> any Service
  ) throws(MetricsError) -> MetricsAddress {
    if state.withLock({ if case .open = $0 { false } else { true } }) { _ = try open() }
    return try state.withLock { state throws(MetricsError) in
      guard case .open(let opened) = state else { return address }
      let actual = address.with(port: opened.port.port)
      let service = service(actual)
      do throws(SystemThread.NoThread) {
        let thread = try SystemThread { [port = opened.port, calls = opened.calls.reading] in
          ConnectionLoop(port, calls: calls, limits, service).run()
        }
        state = .served(thread, calls: opened.calls.writing)
        return actual
      } catch {
        throw failure(Errno(rawValue: error.status))
      }
    }
  }

  /// Announces an update.
  func call() {
    state.withLock { state in
      // If there is no room for the octet, enough octets wait already.
      if case .served(_, let calls) = state { _ = calls.send([0], 1) }
    }
  }

  /// Closes the port and all connections. Does nothing when nothing is open.
  func stop() {
    let last = state.withLock { state in
      defer { state = .closed }
      return state
    }
    switch last {
    case .closed: break
    case .open(let opened):
      for socket in [opened.port.socket, opened.calls.reading, opened.calls.writing] { socket.close() }
    case .served(let thread, let calls):
      calls.close()
      thread.join()
    }
  }

  private func failure(_ error: Errno) -> MetricsError {
    MetricsError("cannot serve \(purpose) on \(address): \(error)")
  }
}
