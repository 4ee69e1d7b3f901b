/// What a live run does by the clock, and when.
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
  /// When a run that was stopped has to be over; nil while it goes on.
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

  /// Takes the time; everything else goes by that until the next call.
  mutating func lookAtClock() { now = clock.now }

  /// Nanoseconds since the start.
  var elapsed: Int64 {
    let (seconds, attoseconds) = (now - started).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Whether the run has lasted as long as it is to last.
  var isOver: Bool { end.map { now >= $0 } ?? false }

  /// The run was stopped. Returns whether that is new; then it is to end within `patience`.
  mutating func startEnding(patience: Duration) -> Bool {
    guard endLimit == nil else { return false }
    endLimit = now + patience
    return true
  }

  /// Whether that time has run out.
  var isEndOverdue: Bool { endLimit.map { now > $0 } ?? false }

  /// Whether what is shown is due to be brought up to date; if so, it is not again for a second.
  mutating func takeLook() -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now + Self.lookInterval
    return true
  }

  /// Whether another hour of the run has begun; if so, it is not again before the next one.
  mutating func takeHour() -> Bool {
    guard now >= nextHour else { return false }
    while nextHour <= now { nextHour += Self.hour }
    return true
  }

  /// Whether what is on disk is due to be brought up to date.
  var isFlushDue: Bool { now >= nextFlush }

  /// What is on disk has been brought up to date, which may have taken its time.
  mutating func restartInterval() { nextFlush = clock.now + interval }
}
