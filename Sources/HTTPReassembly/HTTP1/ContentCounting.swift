// How long a message's content is without its codings (RFC 9110 §8.4): counted while it passes, never stored.

extension Conversation {
  /// Content of the newest message is about to come.
  mutating func startContent(_ run: inout Run) {
    let content = messages[side].newest.message.contentEncoding
    let transfer = messages[side].newest.message.transferEncoding
    guard content != .none || transfer != .none else { return }
    let codings = run.codings.names(content: run.texts.octets(content), transfer: run.texts.octets(transfer))
    guard !codings.isEmpty else { return }
    contents[side].isIdentity = false
    guard run.configuration.decodesContent, run.decoders != nil else {
      messages[side].newest.message.flags.insert(.notDecoded)
      return
    }
    guard codings.count <= run.configuration.contentCodingLimit else {
      run.note(.contentCodingsTooMany)
      messages[side].newest.message.flags.insert(.codingUnknown)
      return
    }
    guard let decoder = run.decoders?.decoder(for: codings) else {
      run.note(.contentCodingUnknown)
      messages[side].newest.message.flags.insert(.codingUnknown)
      return
    }
    contents[side].decoder = decoder
    contents[side].codings = codings
  }

  /// The content of the newest message has ended, wholly seen or not. How that came out is asked for at once, or when the
  /// message becomes final.
  mutating func finishContent(isComplete: Bool, _ run: inout Run) {
    if contents[side].isIdentity {
      if isComplete, messages[side].newest.message.missing == 0 {
        messages[side].newest.message.decodedBody = messages[side].newest.message.octets.body
      }
      return
    }
    guard let decoder = contents[side].decoder else { return }
    contents[side].decoder = nil
    if isComplete, let pending = run.decoders?.finishLater(decoder) {
      messages[side].newest.pendingContent = pending
    } else if let anomaly = messages[side].newest.message.note(decoder.finish(), isComplete: isComplete) {
      run.note(anomaly)
    }
    run.decoders?.recycle(decoder, codings: contents[side].codings)
  }

  /// Takes what came of a content that was decoded while the analysis went on.
  static func settleContent(of open: inout OpenMessage, _ run: inout Run) {
    guard let pending = open.pendingContent, let outcome = run.decoders?.outcome(of: pending) else { return }
    run.decoders?.forget(pending)
    open.pendingContent = nil
    guard let anomaly = open.message.note(outcome, isComplete: true) else { return }
    // Not the time of the packet that makes the message final.
    let now = run.anomalies.now
    run.anomalies.now = open.message.lastTime
    run.note(anomaly)
    run.anomalies.now = now
  }
}

extension Message {
  /// Notes how the decoding of its content ended, and returns what was odd about that. Only a complete content's length counts.
  mutating func note(_ outcome: ContentOutcome, isComplete: Bool) -> Anomaly? {
    switch outcome {
    case .decoded(let octets):
      if isComplete { decodedBody = octets }
      return nil
    case .decodedWithTrailingJunk(let octets):
      flags.insert(.codingTrailingJunk)
      if isComplete { decodedBody = octets }
      return .contentTrailingJunk
    case .failed(.corrupt):
      flags.insert(.codingCorrupt)
      return .contentCorrupt
    case .failed(.truncated):
      flags.insert(.codingTruncated)
      return .contentTruncated
    case .failed(.beyondLimit):
      flags.insert(.codingBeyondLimit)
      return .contentBeyondLimit
    }
  }
}
