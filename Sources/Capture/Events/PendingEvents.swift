/// Events of a capture that wait to be taken, in the order of the file, in bounded memory.
struct PendingEvents {
  /// Whether no event waits.
  private(set) var isEmpty = true

  /// The waiting events, except those whose latest figure is enough.
  private var records: [CaptureEvent] = []
  private var nameCount = 0
  private var appCount = 0
  private var secretsCount = 0
  private var secretsOctets = 0
  private var passedTime: Int64?
  private var haveDropsChanged = false

  /// Whether another name can wait.
  var hasRoomForName: Bool { nameCount < CaptureLimits.waitingNames }

  /// Whether another app can wait.
  var hasRoomForApp: Bool { appCount < CaptureLimits.waitingApps }

  /// Whether another secrets block of `count` octets can wait.
  func hasRoomForSecrets(_ count: Int) -> Bool {
    secretsCount < CaptureLimits.waitingSecrets && count <= CaptureLimits.waitingSecretsOctets - secretsOctets
  }

  /// Appends an event. A name, an app or a secrets block beyond its limit is dropped. The numbers of interfaces, processes and
  /// comments bound these.
  mutating func append(_ event: CaptureEvent) {
    switch event {
    case .name(let record):
      guard hasRoomForName, record.name.count <= CaptureLimits.nameLength else { return }
      nameCount += 1
    case .secrets(let record):
      guard hasRoomForSecrets(record.octets.count) else { return }
      secretsCount += 1
      secretsOctets += record.octets.count
    case .app:
      guard hasRoomForApp else { return }
      appCount += 1
    case .interface, .process, .comment: break
    case .drops: return noteDrops()
    case .timePassed(let time): return pass(to: time)
    }
    records.append(event)
    isEmpty = false
  }

  /// Notes a time at which the capture still ran.
  mutating func pass(to time: Int64) {
    passedTime = max(passedTime ?? time, time)
    isEmpty = false
  }

  /// Notes that the number of lost packets has changed.
  mutating func noteDrops() {
    haveDropsChanged = true
    isEmpty = false
  }

  /// Moves all events from `other` to the end.
  mutating func move(from other: inout PendingEvents) {
    moveRecords(from: &other)
    if let time = other.passedTime { pass(to: time) }
    if other.haveDropsChanged { noteDrops() }
    other = PendingEvents()
  }

  /// Moves all events except passed time and drops from `other` to the end.
  mutating func moveRecords(from other: inout PendingEvents) {
    for event in other.records { append(event) }
    other.records = []
    (other.nameCount, other.appCount, other.secretsCount, other.secretsOctets) = (0, 0, 0, 0)
    other.isEmpty = other.passedTime == nil && !other.haveDropsChanged
  }

  /// Removes and returns all events; `dropped` is the number of packets lost so far.
  mutating func take(dropped: UInt64?) -> [CaptureEvent] {
    var events: [CaptureEvent] = []
    swap(&events, &records)
    if haveDropsChanged, let dropped { events.append(.drops(dropped)) }
    if let passedTime { events.append(.timePassed(passedTime)) }
    self = PendingEvents()
    return events
  }
}
