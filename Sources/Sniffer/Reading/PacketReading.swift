import Capture
import Packets

extension PacketSequence where Self: ~Copyable {
  /// Reads captures to their end: the one loop of all commands that read them.
  ///
  /// - Parameters:
  ///   - looksAtEachStep: Whether `look` comes before each step, since what is read is still being written; else it comes now and then.
  ///   - look: Signals, progress and key logs are looked at; false ends the reading.
  ///   - begin: A capture begins, which continues the one before or does not.
  ///   - event: A capture says something.
  ///   - packet: A packet comes, of the capture with a number; false asks for `look` before the next one.
  ///   - failed: A capture cannot be read any further.
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

/// Packets between two looks at signals and the clock: some milliseconds of work.
private let packetsBetweenLooks = 4096
