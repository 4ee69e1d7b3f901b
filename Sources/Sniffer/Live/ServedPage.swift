import Capture
import HTTPReassembly
import MetricsEndpoint
import Reports

/// The page of a live run for browsers.
///
/// The analysis makes a newer one at most once a second, only while a browser asks for it, and only after changes. Making pages
/// may take at most a tenth of the time: if one takes longer than a tenth of a second, pages come less often.
final class ServedPage {
  /// The state of a page: nothing else changes it.
  struct Mark: Equatable {
    var packets: Int
    var connections: Int
  }

  /// The least time between pages.
  private static let interval = Duration.seconds(1)
  /// The divisor of the share of time that making pages may take.
  private static let share = 10
  /// How long the end of a run waits for viewers to take the last page: after that the server closes who takes nothing.
  private static let endPatience = Duration.seconds(30)

  private let server: PageServer
  private let isLoopback: Bool
  private let clock = ContinuousClock()
  private var version = 0
  private var mark: Mark?
  private var next: ContinuousClock.Instant

  /// Opens the port for `start`: sockets can only be created and bound before the run is confined.
  ///
  /// - Parameters:
  ///   - text: The address.
  ///   - allowsOthers: Whether other machines may reach the address.
  /// - Throws: When the address is invalid or taken, or when others can reach it and must not.
  init(address text: String, allowsOthers: Bool) throws(MetricsError) {
    let address = try MetricsAddress(text)
    isLoopback = address.isLoopback
    guard isLoopback || allowsOthers else {
      throw MetricsError("\(address) can be reached from other machines: --page-remote allows that")
    }
    server = PageServer(address, document: LivePage.document, allowsOthers: allowsOthers)
    try server.open()
    next = clock.now
  }

  /// Starts to serve, on a thread of its own. Returns the text for the user: the address with the token, which only the user
  /// gets.
  func start(_ options: CommonOptions) throws(MetricsError) -> String {
    let address = try server.start()
    if !isLoopback {
      options.logger.warning("the page goes over the network as it is: whoever sees its packets has its token, too")
    }
    return "page on \(address)"
  }

  /// Whether a newer page is due.
  func isDue(_ mark: Mark) -> Bool { server.isWatched && mark != self.mark && clock.now >= next }

  /// The start of the time that a page takes.
  var now: ContinuousClock.Instant { clock.now }

  /// Replaces the page by one of `totals`; `begun` is the time when gathering them began.
  func update(_ mark: Mark, _ page: LivePage, _ totals: Totals, since begun: ContinuousClock.Instant) {
    publish(page, totals)
    self.mark = mark
    let now = clock.now
    next = now + max(Self.interval, (now - begun) * Self.share)
  }

  /// Replaces the page.
  func publish(_ page: LivePage, _ totals: Totals, isLast: Bool = false) {
    version += 1
    let data = page.data(totals, version: version, time: SystemClock.nanosecondsSinceEpoch, isOver: isLast)
    server.publish(data, version: version, isLast: isLast)
  }

  /// Gives viewers the last page, and stops serving.
  func end(_ page: LivePage, _ totals: Totals) {
    if server.isWatched {
      publish(page, totals, isLast: true)
      let limit = clock.now + Self.endPatience
      while server.isWatched, clock.now < limit { SystemClock.sleep(milliseconds: 10) }
    }
    server.stop()
  }
}
