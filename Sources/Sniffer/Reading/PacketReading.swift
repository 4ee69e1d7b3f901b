import Capture
import HTTPReassembly
import Packets

extension PacketSequence where Self: ~Copyable {
  /// Reads captures to their end: the one loop of all commands that read them.
  ///
  /// - Parameters:
  ///   - looksAtEachStep: Whether `look` is called before each step, because the input is still being written; else it is called
  ///     now and then.
  ///   - look: Checks signals, progress and key logs; false ends the reading.
  ///   - begin: Called when a capture begins, with whether it continues the one before.
  ///   - event: Called for an event of a capture.
  ///   - packet: Called for a packet, with the number of its capture; false asks for `look` before the next one.
  ///   - failed: Called when a capture cannot be read any further.
  mutating func read(
    looksAtEachStep: Bool = false, look: (borrowing Self) -> Bool,
    begin: (borrowing Self, _ continues: Bool) -> Void, event: (CaptureEvent) -> Void,
    packet: (Packet, RawSpan, _ capture: Int) -> Bool, failed: (Fault) -> Void
  ) {
    var left = packetsBetweenLooks
    while true {
      do throws(Fault) {
        let step = try advance()
        if looksAtEachStep || left <= 0 {
          guard look(self) else { return }
          left = packetsBetweenLooks
        }
        for news in takeEvents() { event(news) }
        switch step {
        case .end: return
        case .capture(let continues): begin(self, continues)
        case .packet:
          let number = capture
          withPacket { left = packet($0, $1, number) ? left - 1 : 0 }
          guard left > 0 else { continue }
          try passOn { next, octets in
            left = packet(next, octets, number) ? left - 1 : 0
            return left > 0
          }
        }
      } catch {
        failed(error)
      }
    }
  }
}

/// Packets between two checks of signals and the clock: some milliseconds of work.
private let packetsBetweenLooks = 4096

extension AnalysisEvent {
  /// The analysis' event for a capture's event; nil for events that it does not learn in this way.
  init?(_ event: CaptureEvent) {
    switch event {
    case .name(let record): self = .name(record.name, record.address)
    case .timePassed(let time): self = .passed(time)
    case .process(let record):
      self = .process(number: record.number, identifier: record.identifier, name: Array(record.name.utf8))
    case .app(let record):
      self = .app(user: record.user, package: Array(record.package.utf8), name: Array(record.name.utf8))
    case .comment(let record): self = .comment(number: record.number, octets: record.octets)
    // All secrets are known before, the number of lost packets is read at the end, and no report has interfaces.
    case .secrets, .drops, .interface: return nil
    }
  }
}
