import HTTPReassembly

/// Takes a row of content codings off one message's content at a time, and counts what comes out.
///
/// As the octets come, or, where that is faster and as long as the content is short and nobody looks at what comes out, once
/// all of them are there.
package final class ContentDecoder: ContentDecoding {
  /// The codings' names, in the order in which they were applied.
  let codings: [String]
  /// One for each coding, in the order in which they are taken off.
  private let stages: [any CodingStage]
  /// Octets that may come out of any one stage: a small content may hide a large one inside another large one.
  private let limit: Int
  private let buffers: OutputBuffers
  /// The content so far, while it is kept to be decoded as a whole; nil for codings of which only one pass as it comes is known.
  private var held: HeldContent?
  /// Whether the stages have got octets of this content.
  private var isStreaming = false

  /// Octets that went into each stage, and last those that came out of the last one.
  private var counts: [Int]
  private var failure: ContentFailure?

  init(
    codings: [String], stages: [any CodingStage], limit: Int, buffers: OutputBuffers, held: HeldContent? = nil
  ) {
    self.codings = codings
    self.stages = stages
    self.limit = limit
    self.buffers = buffers
    self.held = held
    counts = Array(repeating: 0, count: stages.count + 1)
  }

  package func feed(_ octets: RawSpan) {
    if !isStreaming, held?.take(octets) == true { return }
    feed(octets) { _ in }
  }

  package func feed(_ octets: RawSpan, output: (RawSpan) -> Void) {
    guard octets.byteCount > 0 else { return }
    if !isStreaming { stream(output) }
    decode(octets, output)
  }

  /// From here on octets are decoded as they come, those that were kept first.
  private func stream(_ output: (RawSpan) -> Void) {
    isStreaming = true
    guard let kept = held?.giveAway() else { return }
    kept.withOctets { decode($0, output) }
  }

  private func decode(_ octets: RawSpan, _ output: (RawSpan) -> Void) {
    guard failure == nil, octets.byteCount > 0 else { return }
    counts[0] += octets.byteCount
    guard !pass(octets, to: 0, output: output) else { return }
    // The rest of the message may be long in coming; nothing is held for it.
    resetStages()
  }

  /// Passes octets to the stage at `index` and all after it; false once nothing more is wanted.
  private func pass(_ octets: RawSpan, to index: Int, output: (RawSpan) -> Void) -> Bool {
    guard index < stages.count else {
      output(octets)
      return true
    }
    let buffer = buffers.take()
    defer { buffers.giveBack(buffer) }
    let found = stages[index].decode(octets, buffer: buffer) { made in
      counts[index + 1] += made.byteCount
      guard counts[index + 1] <= limit else {
        failure = .beyondLimit
        return false
      }
      return pass(made, to: index + 1, output: output)
    }
    failure = failure ?? found
    return failure == nil
  }

  /// The content, if it was kept as a whole and has octets; it is the caller's, and the decoder is ready for the next one.
  func takeWhole() -> [UInt8]? {
    guard !isStreaming, held?.octets.isEmpty == false else { return nil }
    return held?.giveAway()
  }

  package func finish() -> ContentOutcome {
    defer { reset() }
    if !isStreaming { stream { _ in } }
    if let failure { return .failed(failure) }
    var hasJunk = false
    // A stage that got nothing is complete: servers name a coding for empty content without applying it.
    for (stage, count) in zip(stages, counts) where count > 0 {
      switch stage.end {
      case .missing: return .failed(.truncated)
      case .reached: continue
      case .followedByJunk: hasJunk = true
      }
    }
    let octets = counts[stages.count]
    return hasJunk ? .decodedWithTrailingJunk(octets: octets) : .decoded(octets: octets)
  }

  /// Forgets the message, finished or not.
  func reset() {
    resetStages()
    for index in counts.indices {
      counts[index] = 0
    }
    failure = nil
    isStreaming = false
    _ = held?.giveAway()
  }

  private func resetStages() {
    for (stage, count) in zip(stages, counts) where count > 0 {
      stage.reset()
    }
  }
}
