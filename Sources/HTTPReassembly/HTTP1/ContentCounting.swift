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

  /// The content of the newest message has ended, wholly seen or not.
  mutating func finishContent(isComplete: Bool, _ run: inout Run) {
    if contents[side].isIdentity {
      if isComplete, messages[side].newest.message.missing == 0 {
        messages[side].newest.message.decodedBody = messages[side].newest.message.octets.body
      }
      return
    }
    guard let decoder = contents[side].decoder else { return }
    contents[side].decoder = nil
    let outcome = decoder.finish()
    run.decoders?.recycle(decoder, codings: contents[side].codings)
    switch outcome {
    case .decoded(let octets):
      if isComplete { messages[side].newest.message.decodedBody = octets }
    case .decodedWithTrailingJunk(let octets):
      run.note(.contentTrailingJunk)
      messages[side].newest.message.flags.insert(.codingTrailingJunk)
      if isComplete { messages[side].newest.message.decodedBody = octets }
    case .failed(.corrupt):
      run.note(.contentCorrupt)
      messages[side].newest.message.flags.insert(.codingCorrupt)
    case .failed(.truncated):
      run.note(.contentTruncated)
      messages[side].newest.message.flags.insert(.codingTruncated)
    case .failed(.beyondLimit):
      run.note(.contentBeyondLimit)
      messages[side].newest.message.flags.insert(.codingBeyondLimit)
    }
  }
}
