// How long a message's content is without its codings (RFC 9110 §8.4): counted while it passes, never stored.

extension Conversation {
  /// Content of the message at `index` is about to come.
  mutating func startContent(_ index: Int, _ run: inout Run) {
    let message = messages[side][index].message
    // The coding of the representation first, then that of the transfer: they are removed in reverse.
    var codings = CodingList.names(run.texts.octets(message.contentEncoding))
    if message.transferEncoding != .none {
      codings += CodingList.names(run.texts.octets(message.transferEncoding)).filter { $0 != "chunked" }
    }
    guard !codings.isEmpty else { return }
    messages[side][index].isIdentity = false
    guard run.configuration.decodesContent, run.decoders != nil else {
      messages[side][index].message.flags.insert(.notDecoded)
      return
    }
    guard codings.count <= run.configuration.contentCodingLimit else {
      run.note(.contentCodingsTooMany)
      messages[side][index].message.flags.insert(.codingUnknown)
      return
    }
    guard let decoder = run.decoders?.decoder(for: codings) else {
      run.note(.contentCodingUnknown)
      messages[side][index].message.flags.insert(.codingUnknown)
      return
    }
    messages[side][index].decoder = decoder
    messages[side][index].codings = codings
  }

  /// The content of the message at `index` has ended, wholly seen or not.
  mutating func finishContent(_ index: Int, isComplete: Bool, _ run: inout Run) {
    if messages[side][index].isIdentity {
      if isComplete, messages[side][index].message.missing == 0 {
        messages[side][index].message.decodedBody = messages[side][index].message.octets.body
      }
      return
    }
    guard let decoder = messages[side][index].decoder else { return }
    messages[side][index].decoder = nil
    let outcome = decoder.finish()
    run.decoders?.recycle(decoder, codings: messages[side][index].codings)
    switch outcome {
    case .decoded(let octets):
      if isComplete { messages[side][index].message.decodedBody = octets }
    case .decodedWithTrailingJunk(let octets):
      run.note(.contentTrailingJunk)
      messages[side][index].message.flags.insert(.codingTrailingJunk)
      if isComplete { messages[side][index].message.decodedBody = octets }
    case .failed(.corrupt):
      run.note(.contentCorrupt)
      messages[side][index].message.flags.insert(.codingCorrupt)
    case .failed(.truncated):
      run.note(.contentTruncated)
      messages[side][index].message.flags.insert(.codingTruncated)
    case .failed(.beyondLimit):
      run.note(.contentBeyondLimit)
      messages[side][index].message.flags.insert(.codingBeyondLimit)
    }
  }
}
