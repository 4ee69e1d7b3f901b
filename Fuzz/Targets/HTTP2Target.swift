import HTTPReassembly
import Packets
import TestSupport

extension FuzzTarget {
  /// Frames of both sides, most of them whole: however the streams are cut into segments, the messages are the same, as long as
  /// framing is not lost.
  ///
  /// Input: cuts of each stream, the order of neighbours, then frames: side and whether it is sent as it stands (1), type, flags,
  /// stream, length, payload.
  package static let http2 = FuzzTarget("http2", longestInput: 1024) { input in
    var input = InputOctets(input)
    let cutChoices = input.take(12)
    let order = input.next()
    var streams = [HTTP2Writer.preface + HTTP2Writer.settings(), HTTP2Writer.settings()]
    while input.hasMore {
      let choice = input.next()
      let (type, flags, stream, length) = (input.next(), input.next(), input.next(), input.next())
      let payload = input.take(Int(length & 63))
      // One in sixteen is no frame at all.
      streams[Int(choice & 1)] +=
        choice >> 4 == 15 ? payload : HTTP2Writer.frame(type % 12, flags: flags, stream: UInt32(stream & 15), payload)
    }
    return fault(client: streams[0], server: streams[1], cutChoices: cutChoices, order: order)
  }

  /// A field block: every octet of it is counted, whatever it is, and the same however it is cut into frames and segments.
  ///
  /// Input: cuts, how many parts the block has, how long the first block is, two blocks.
  package static let hpack = FuzzTarget("hpack", longestInput: 512) { input in
    var input = InputOctets(input)
    let cutChoices = input.take(12)
    let parts = Int(input.next() % 5) + 1
    let firstLength = Int(input.next())
    let blocks = [input.take(firstLength), input.rest()]
    var client = HTTP2Writer.preface + HTTP2Writer.settings()
    for (index, block) in blocks.enumerated() {
      client += HTTP2Writer.headers(UInt32(2 * index + 1), block, ends: true, parts: parts)
    }
    let analysis = CutDialogue(client: client, server: HTTP2Writer.settings()).whole.analysis
    for (block, message) in zip(blocks, analysis.requests)
    where message.octets.startLine + message.octets.header != block.count {
      return "\(message.octets) of a block of \(block.count)"
    }
    return fault(client: client, server: HTTP2Writer.settings(), cutChoices: cutChoices, order: 0)
  }

  /// Field blocks of one direction, without a connection around them: every octet is counted, what is known of a table whose beginning
  /// was lost is what the whole one has, and both stay within their limits.
  ///
  /// Input: before which block octets are lost (1), then blocks, each with its length before it (1).
  package static let fieldBlock = FuzzTarget("fieldblock", longestInput: 512) { input in
    var input = InputOctets(input)
    let lost = Int(input.next() % 8)
    var whole = HPACKDecoder(isComplete: true, keptLimit: tableLimit)
    var late = HPACKDecoder(isComplete: true, keptLimit: tableLimit)
    var number = 0
    while input.hasMore {
      if number == lost { late.forget() }
      number += 1
      let length = Int(input.next())
      let block = input.take(length)
      whole.startBlock()
      late.startBlock()
      if let fault = block.withOctets({ difference($0, &whole, &late) }) { return "block \(number): \(fault)" }
      // Octets, entries, and the room for one block's strings.
      if whole.memory > 4 * tableLimit + (64 << 10) { return "\(whole.memory) octets of memory" }
    }
    return nil
  }

  private static let tableLimit = 16 << 10

  /// What one decoder knows and the other contradicts, or what is not counted.
  private static func difference(
    _ block: RawSpan, _ whole: inout HPACKDecoder, _ late: inout HPACKDecoder
  ) -> String? {
    var (offset, lateOffset, counted) = (0, 0, 0)
    while true {
      let (step, lateStep) = (whole.next(block, at: &offset), late.next(block, at: &lateOffset))
      guard offset == lateOffset, offset <= block.byteCount else { return "\(offset) octets read, and \(lateOffset)" }
      switch (step, lateStep) {
      case (.end, .end): return counted == block.byteCount ? nil : "\(counted) of \(block.byteCount) octets"
      case (.undecodable, .undecodable): return counted == offset ? nil : "\(counted) octets before \(offset)"
      case (.field(let field), .field(let other)):
        counted += field.length
        if field.length <= 0 || other.length != field.length { return "lengths \(field.length) and \(other.length)" }
        guard !field.isMalformed, !other.isMalformed else { continue }
        for (text, known) in [(field.name, other.name), (field.value, other.value)] where known.isKnown {
          let expected = whole.withOctets(of: text, in: block) { $0.array }
          let found = late.withOctets(of: known, in: block) { $0.array }
          if text.isKnown, found != expected { return "\(found) is known, where it is \(expected)" }
        }
      default: return "one goes on, and the other does not"
      }
    }
  }

  /// What differs when the streams are cut.
  private static func fault(client: [UInt8], server: [UInt8], cutChoices: [UInt8], order: UInt8) -> String? {
    var choices = InputOctets(cutChoices)
    let dialogue = CutDialogue(client: client, server: server)
    let whole = dialogue.whole
    if let fault = whole.analysis.violations.first { return "whole: \(fault)" }
    func cuts(_ length: Int) -> [Int] {
      Set((0..<3).map { _ in choices.next16() % (length + 1) }).union([0, length]).sorted()
    }
    let clientCuts = cuts(client.count)
    let cut = dialogue.reading(client: clientCuts, server: cuts(server.count), order: order)
    if let fault = cut.analysis.violations.first { return "cut: \(fault)" }
    guard whole.keepsFraming, cut.text != whole.text else { return nil }
    return "cut, it is\n\(cut.text)\nbut whole, it is\n\(whole.text)"
  }
}

extension RawSpan {
  fileprivate var array: [UInt8] {
    var octets: [UInt8] = []
    append(0..<byteCount, to: &octets)
    return octets
  }
}
