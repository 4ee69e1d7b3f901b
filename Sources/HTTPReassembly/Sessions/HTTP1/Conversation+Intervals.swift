// How far messages are apart where octets were lost.

import Packets

extension Conversation {
  /// What is between a message that starts on the side being read, and the one before it there.
  func interval(before start: LineStart, _ run: borrowing Run) -> MessageInterval {
    guard !owners.look(run.side, { $0.isEmpty }) else { return MessageInterval() }
    let newest = owners.look(run.side) { $0.newest }
    guard newest.end != .never, newest.end <= start.position else { return MessageInterval() }
    let isWhole = run.rows.messages.look(Int(newest.row)) { open in
      // What is not known of a response whose request is not is whether content follows; where it does, it ends where it says.
      let hasContent = open.message.octets.body + open.message.octets.framing > 0
      return open.message.exactness != .atLeast
        && (!open.doubts.contains(.end) || hasContent && !open.message.flags.contains(.closeDelimited))
    }
    return MessageInterval(length: Int32(clamping: start.position - newest.end), isBehindWhole: isWhole)
  }

  /// A request has started: of a client that pipelines, or behind a hole.
  mutating func noteDistance(of start: LineStart, _ interval: MessageInterval, _ run: inout Run) {
    let number = exchanges.end - 1
    if interval.length >= 0 {
      change(number, &run) { $0.interval = interval }
    } else if isPipelined, let before = read(number - 1, run, { $0.exchange.request == nil ? nil : $0.start }),
      let before
    {
      requestLengths.note(start.position - before)
    }
  }
}
