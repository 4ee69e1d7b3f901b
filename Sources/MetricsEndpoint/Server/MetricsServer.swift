import Locks

/// Serves the page of metrics over HTTP, for Prometheus to fetch.
///
/// For synchronous code: the server runs in a task of its own, and `publish` only swaps the page, so that a slow client
/// holds up nothing. Start it after privileges are given up: on Linux, threads that run already keep theirs.
public final class MetricsServer: Sendable {
  /// What the server puts up with from its clients.
  public struct Limits: Sendable {
    /// Connections that may wait for their client at the same time; those beyond are closed.
    public var connections = 32
    /// How long one waits for its client to send or to take octets before it is closed. Longer than
    /// Prometheus's usual interval of 15 s, so that its connection lives from one scrape to the next.
    public var patience = Duration.seconds(30)

    /// The defaults.
    public init() {}
  }

  private struct Run {
    var task: Task<Void, Never>
    var ended: FirstValue<Bool>
  }

  private let requested: MetricsAddress
  private let limits: Limits
  private let page = MetricsPage()
  private let run = Locked<Run?>(nil)

  /// Prepares a server; `start` opens the port.
  public init(_ address: MetricsAddress, limits: Limits = Limits()) {
    requested = address
    self.limits = limits
  }

  /// Replaces the page that is served.
  public func publish(_ exposition: [UInt8]) {
    page.octets.withLock { $0 = exposition }
  }

  /// Opens the port and begins to serve. Returns the address, with the port that the system chose where 0 was asked for.
  /// Throws when the port cannot be opened, or is not open after `seconds`.
  @discardableResult
  public func start(within seconds: Int = 10) throws(MetricsError) -> MetricsAddress {
    stop()
    let opened = FirstValue<Result<UInt16, MetricsError>>()
    let ended = FirstValue<Bool>()
    let serving = Serving(page: page, address: requested, limits: limits, opened: opened)
    let task = Task.detached {
      await serving.untilCancelled()
      ended.settle(true)
    }
    switch opened.wait(seconds: seconds) {
    case .success(let port):
      run.withLock { $0 = Run(task: task, ended: ended) }
      return requested.with(port: port)
    case .failure(let error):
      throw error
    case nil:
      task.cancel()
      throw MetricsError("cannot serve metrics on \(requested): the server did not start within \(seconds) s")
    }
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() {
    let run = run.withLock { run in
      defer { run = nil }
      return run
    }
    guard let run else { return }
    run.task.cancel()
    _ = run.ended.wait(seconds: 5)
  }
}
