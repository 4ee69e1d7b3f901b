import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Meters the HTTP traffic of the app that it runs in, per message, and changes nothing of what the app sees.
///
/// ```swift
/// let probe = TrafficProbe(store: folder.appendingPathComponent("traffic.sqlite"))
/// probe.registerForSharedSession()
/// probe.inject(into: configuration)
/// ```
///
/// It cannot fail: a store that cannot be written drops records, and `statistics` counts them.
public final class TrafficProbe: Sendable {
  /// What the probe was made with.
  public let options: ProbeOptions
  private let store: TrafficStore
  private let counter = Locked(0)

  /// - Parameters:
  ///   - store: the SQLite file; it is created when it is first written. Nil keeps the log in memory, up to the buffer's
  ///     limit.
  ///   - options: what to take, and how to store it.
  public init(store: URL?, options: ProbeOptions = ProbeOptions()) {
    self.options = options
    self.store = TrafficStore(url: store, options: options.store)
  }

  /// Meters the requests of `URLSession.shared`. To be called before the shared session is first used: on Linux the session
  /// asks for registered protocols only then.
  /// - Returns: whether it could be registered.
  @discardableResult
  public func registerForSharedSession() -> Bool {
    guard let claimed = Slots.claim(for: self, configuration: .default) else { return false }
    #if canImport(FoundationNetworking)
      // Asked in the order of their registration, and only those that are registered when the shared session is made: the
      // system's own have to come after the probe's, and have to be there for what the probe does not take.
      let own = (URLSessionConfiguration.default.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
      for native in own { URLProtocol.unregisterClass(native) }
      defer { for native in own { _ = URLProtocol.registerClass(native) } }
    #endif
    return URLProtocol.registerClass(claimed)
  }

  /// Meters the requests of every session that is made with this configuration from now on. To be called when the
  /// configuration is complete: requests are sent with a copy of it as it now is.
  /// - Returns: false if 256 configurations were given a probe in this run already; then this one is left alone.
  @discardableResult
  public func inject(into configuration: URLSessionConfiguration) -> Bool {
    guard let claimed = Slots.claim(for: self, configuration: configuration) else { return false }
    let others = (configuration.protocolClasses ?? []).filter { !($0 is ProbeProtocol.Type) }
    configuration.protocolClasses = [claimed] + others
    return true
  }

  /// Stops metering. Sessions that were made before go on, unmetered.
  public func stop() { Slots.release(self) }

  /// Writes what waits to the store. Blocks for the time of the writing.
  public func flush() { store.flush() }

  /// What was recorded, written and dropped.
  public var statistics: ProbeStatistics { store.statistics }

  /// The octets of each host and path, most first. Requests that are under way are in it as if they were sent whole.
  /// - Throws: what SQLite says of the store.
  public func traffic() throws -> [APITraffic] {
    try store.withDatabase { try $0.traffic() }
      ?? store.waiting.reduce(into: TrafficSums()) { sums, record in sums.add(record) }.sorted
  }

  /// Writes the log as CSV, with the columns that `sniffer verify` reads, replacing the file.
  /// - Throws: what the file system or SQLite says.
  public func writeLog(to url: URL) throws {
    var text = LogText.header
    for record in try records() { text += LogText.line(of: record) }
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  /// All records of the store, or those in memory without one, oldest first.
  /// - Throws: what SQLite says of the store.
  public func records() throws -> [TrafficRecord] {
    try store.withDatabase { database in
      var records: [TrafficRecord] = []
      try database.forEach { records.append($0) }
      return records
    } ?? store.waiting
  }

  func add(_ record: TrafficRecord) { store.add(record) }

  /// A number for an exchange.
  func nextExchange() -> Int {
    counter.withLock {
      $0 += 1
      return $0
    }
  }
}
