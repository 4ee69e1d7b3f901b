// The distances between messages across lost octets.

import Packets

extension Conversation {
  /// The interval between a message that starts on the current side and the message before it there.
  func interval(before start: LineStart, _ run: borrowing Run) -> MessageInterval {
    guard !owners.look(run.side, { $0.isEmpty }) else { return firstInterval(before: start, run) }
    let newest = owners.look(run.side) { $0.newest }
    guard newest.end != .never, newest.end <= start.position else { return MessageInterval() }
    let isCertain = recovery?.value.certainty[run.side] != .possible
    let isWhole = run.rows.messages.look(Int(newest.row)) { open in
      // Without its request, a response's content is uncertain. Content that did come ends where its framing says.
      let hasContent = open.message.octets.body + open.message.octets.framing > 0
      return open.message.exactness != .atLeast
        && (!open.doubts.contains(.end) || hasContent && !open.message.flags.contains(.closeDelimited))
        && isCertain
    }
    return MessageInterval(length: Int32(clamping: start.position - newest.end), isBehindWhole: isWhole)
  }

  /// The interval between the start of the current side's stream and a message; unknown if messages came before it.
  private func firstInterval(before start: LineStart, _ run: borrowing Run) -> MessageInterval {
    let beginning = beginning(run.side)
    guard beginning != .unknown else { return MessageInterval() }
    let isCertain = recovery?.value.certainty[run.side] != .possible
    return MessageInterval(
      length: Int32(clamping: start.position - beginning), isBehindWhole: isCertain)
  }

  /// Notes the distance of a request that has started, from a client that pipelines or behind a gap.
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
