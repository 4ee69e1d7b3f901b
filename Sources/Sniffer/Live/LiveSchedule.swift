/// The actions of a live run that depend on the clock, and their times.
struct LiveSchedule {
  private static let lookInterval = Duration.seconds(1)
  private static let hour = Duration.seconds(3600)

  private let clock = ContinuousClock()
  private let started: ContinuousClock.Instant
  private let interval: Duration
  private let end: ContinuousClock.Instant?
  private var now: ContinuousClock.Instant
  private var nextLook: ContinuousClock.Instant
  private var nextFlush: ContinuousClock.Instant
  private var nextHour: ContinuousClock.Instant
  /// The time at which a stopped run has to end; nil before the stop.
  private var endLimit: ContinuousClock.Instant?

  /// Starts now. Both are seconds; without a `duration` there is no end.
  init(interval: Double, duration: Double?) {
    started = clock.now
    now = started
    nextLook = started
    self.interval = .seconds(interval)
    nextFlush = started + self.interval
    nextHour = started + Self.hour
    end = duration.map { [started] in started + .seconds($0) }
  }

  /// Reads the clock; everything else uses that time until the next call.
  mutating func lookAtClock() { now = clock.now }

  /// Nanoseconds since the start.
  var elapsed: Int64 {
    let (seconds, attoseconds) = (now - started).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Whether the run has reached its duration.
  var isOver: Bool { end.map { now >= $0 } ?? false }

  /// Notes that the run was stopped. Returns whether this is new; then it has to end within `patience`.
  mutating func startEnding(patience: Duration) -> Bool {
    guard endLimit == nil else { return false }
    endLimit = now + patience
    return true
  }

  /// Whether that time has passed.
  var isEndOverdue: Bool { endLimit.map { now > $0 } ?? false }

  /// Whether the display is due for an update; if so, not again for a second.
  mutating func takeLook() -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now + Self.lookInterval
    return true
  }

  /// Whether another hour of the run has begun; if so, not again before the next one.
  mutating func takeHour() -> Bool {
    guard now >= nextHour else { return false }
    while nextHour <= now { nextHour += Self.hour }
    return true
  }

  /// Whether the files are due for an update.
  var isFlushDue: Bool { now >= nextFlush }

  /// Restarts the interval after the files were updated, which may have taken some time.
  mutating func restartInterval() { nextFlush = clock.now + interval }
}
