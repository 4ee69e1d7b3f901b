import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Meters the HTTP traffic of its own app, per message, and changes nothing that the app sees.
///
/// ```swift
/// let probe = TrafficProbe(store: folder.appendingPathComponent("traffic.sqlite"))
/// probe.start()
/// probe.inject(into: configuration)  // on Linux; Apple platforms need no more than start()
/// ```
///
/// It cannot fail: a store that cannot be written drops records, and `statistics` counts them.
public final class TrafficProbe: Sendable {
  /// The options that the probe was made with.
  public let options: ProbeOptions
  private let store: TrafficStore
  private let counter = Locked(0)
  private let mainSwitch: ProbeSwitch
  private let upload: LogUpload?
  private let tunnel: Tunnel?

  /// - Parameters:
  ///   - store: The SQLite file; the first write creates it. Nil keeps the log in memory, up to the buffer's limit.
  ///   - options: The requests to take, and the options of the store.
  public init(store: URL?, options: ProbeOptions = ProbeOptions()) {
    self.options = options
    self.store = TrafficStore(url: store, options: options.store, isUploaded: options.upload != nil)
    mainSwitch = ProbeSwitch(store: store, initially: options.isOnAtFirst)
    upload = store == nil ? nil : options.upload.map { [store = self.store] in LogUpload($0, store: store) }
    tunnel = options.addresses.isEmpty ? nil : Tunnel(options.addresses)
    if let upload {
      self.store.whenWritten { [weak upload] in upload?.wake() }
      // Rows of an earlier run may wait.
      upload.wake()
    }
  }

  deinit {
    upload?.end()
    tunnel?.end()
  }

  /// The port on 127.0.0.1 where HTTPS connections to `ProbeOptions.addresses` are passed on: an HTTP proxy for CONNECT. Nil
  /// without such addresses, and when the system gave no port. On Apple platforms the probe's sessions find it themselves.
  public var tunnelPort: Int? { tunnel?.port }

  /// Whether requests are metered, and rewritten, stubbed and sent elsewhere as the options say. It holds for sessions that exist,
  /// too, and is kept in a file beside the store: its name with `.switch` added. So it survives a restart. If the file cannot be
  /// written, `statistics` has the error, and the state lasts until the process ends. Loads under way are not affected.
  public var isOn: Bool {
    get { mainSwitch.isOn }
    set {
      do { try mainSwitch.turn(on: newValue) } catch { store.didFail(error) }
    }
  }

  /// Meters the requests of `URLSession.shared`. Call it before the shared session is first used: on Linux the session asks for
  /// registered protocols only then.
  /// - Returns: Whether it could be registered.
  @discardableResult
  public func registerForSharedSession() -> Bool {
    guard let claimed = Slots.claim(for: self, configuration: .default) else { return false }
    #if canImport(FoundationNetworking)
      // The shared session asks protocols in the order of their registration, and only those registered when it is made. The
      // system's own have to follow the probe's, because they load the requests that the probe does not take.
      let own = (URLSessionConfiguration.default.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
      for native in own { URLProtocol.unregisterClass(native) }
      defer { for native in own { _ = URLProtocol.registerClass(native) } }
    #endif
    return URLProtocol.registerClass(claimed)
  }

  /// Meters the requests of every session that is made with this configuration from now on. Call it when the configuration is
  /// complete: requests are sent with a copy of its current state.
  /// - Returns: False if 256 configurations already got a probe in this run; then this one is unchanged.
  @discardableResult
  public func inject(into configuration: URLSessionConfiguration) -> Bool {
    guard let claimed = Slots.claim(for: self, configuration: configuration) else { return false }
    let others = (EverySession.protocols(of: configuration) ?? []).filter { !($0 is ProbeProtocol.Type) }
    configuration.protocolClasses = [claimed] + others
    return true
  }

  /// Meters the shared session, and on Apple platforms every session that is made from now on, by whatever code: its
  /// configuration needs no `inject(into:)`. Call it first thing in the app. One probe at a time has this; the last call decides.
  /// - Returns: Whether all sessions are metered. False on Linux, where each configuration needs `inject(into:)`.
  @discardableResult
  public func start() -> Bool {
    let isRegistered = registerForSharedSession()
    return EverySession.start(for: self) && isRegistered
  }

  /// Stops metering, and takes back what `start()` exchanged. Earlier sessions continue, unmetered.
  public func stop() {
    EverySession.stop(for: self)
    Slots.release(self)
  }

  /// Writes the waiting records to the store. Blocks until they are written.
  public func flush() { store.flush() }

  /// The numbers of recorded, written and dropped records.
  public var statistics: ProbeStatistics { store.statistics }

  /// The octets of each host and path, most first. Requests that are under way count as if they were sent whole.
  /// - Throws: The error of SQLite.
  public func traffic() throws -> [APITraffic] {
    try store.withDatabase { try $0.traffic() }
      ?? store.waiting.reduce(into: TrafficSums()) { sums, record in sums.add(record) }.sorted
  }

  /// Writes the log as CSV, with the columns that `sniffer verify` reads, and replaces the file.
  /// - Throws: The error of the file system or of SQLite.
  public func writeLog(to url: URL) throws {
    var text = LogText.header
    for record in try records() { text += LogText.line(of: record) }
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  /// All records of the store, or in memory without one, oldest first.
  /// - Throws: The error of SQLite.
  public func records() throws -> [TrafficRecord] {
    try store.withDatabase { database in
      var records: [TrafficRecord] = []
      try database.forEach { records.append($0) }
      return records
    } ?? store.waiting
  }

  func add(_ record: TrafficRecord) { store.add(record) }

  /// A number for the next exchange.
  func nextExchange() -> Int {
    counter.withLock {
      $0 += 1
      return $0
    }
  }
}
