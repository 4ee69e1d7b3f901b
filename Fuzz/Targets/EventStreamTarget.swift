import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// A content of server-sent events: however it is cut into segments, it has as many events as a reader of whole lines finds. With a lost
  /// segment their number is unknown.
  ///
  /// Input: the lost segment (1), cuts (6), the content.
  package static let eventStream = FuzzTarget("event-stream", longestInput: 512) { input in
    var input = InputOctets(input)
    let lost = Int(input.next() % 5)
    let cutChoices = input.take(6)
    let content = input.rest()
    // An empty content has no events to count.
    guard !content.isEmpty else { return nil }
    var choices = InputOctets(cutChoices)
    let cuts = Set((0..<3).map { _ in choices.next16() % (content.count + 1) }).union([0, content.count]).sorted()
    let cut = eventStreamAnalysis(content, cuts, lost: nil)
    if let fault = cut.violations.first { return "cut: \(fault)" }
    let expected = events(of: content)
    if let found = cut.responses.first, found.events != expected {
      return "\(found.events.map(String.init) ?? "no number of") events, and its lines have \(expected)"
    }
    let gap = eventStreamAnalysis(content, cuts, lost: lost)
    if let fault = gap.violations.first { return "with a gap: \(fault)" }
    guard let rest = gap.responses.first, rest.missing > 0 else { return nil }
    return rest.events == nil ? nil : "a number of events in spite of a gap"
  }

  private static func eventStreamAnalysis(_ content: [UInt8], _ cuts: [Int], lost: Int?) -> Analysis {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /events HTTP/1.1\r\nHost: a.example\r\n\r\n")
    dialogue.send(
      .server,
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nContent-Length: \(content.count)\r\n\r\n")
    for (index, (from, to)) in zip(cuts, cuts.dropFirst()).enumerated() where to > from {
      dialogue.send(.server, Array(content[from..<to]), isCaptured: index != lost)
    }
    dialogue.close()
    return Analysis(dialogue.packets(), configuration: .cheap)
  }

  /// The events of a content, from its lines (HTML Living Standard §9.2.6). A last line without an end counts for nothing.
  private static func events(of content: [UInt8]) -> Int {
    var rest = content.starts(with: [0xef, 0xbb, 0xbf]) ? content.dropFirst(3) : content[...]
    var (events, hasData) = (0, false)
    while let end = rest.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
      let line = rest[..<end]
      let isPair = rest[end] == 0x0d && end + 1 < rest.endIndex && rest[end + 1] == 0x0a
      rest = rest[(end + (isPair ? 2 : 1))...]
      if line.isEmpty {
        events += hasData ? 1 : 0
        hasData = false
      } else if line.elementsEqual("data".utf8) || line.starts(with: "data:".utf8) {
        hasData = true
      }
    }
    return events
  }
}
