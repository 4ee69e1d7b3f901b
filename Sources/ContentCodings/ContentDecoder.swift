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
  /// How much may come out.
  private let budget: DecodingBudget
  /// Whether the codings could make more for each coded octet than the budget has.
  private let isUnbounded: Bool
  private let buffers: OutputBuffers
  private let memory: DecoderMemory
  /// The content so far, while it is kept to be decoded as a whole; nil for codings of which only one pass as it comes is known.
  private var held: HeldContent?
  /// Whether the stages have got octets of this content.
  private var isStreaming = false

  /// Octets that went into each stage, and last those that came out of the last one.
  private var counts: [Int]
  /// Octets that came out of all stages.
  private var made = 0
  private var failure: ContentFailure?

  init(
    codings: [String], stages: [any CodingStage], budget: DecodingBudget, buffers: OutputBuffers,
    memory: DecoderMemory, held: HeldContent? = nil
  ) {
    self.codings = codings
    self.stages = stages
    self.budget = budget
    isUnbounded = stages.count > 1 || stages.contains { $0.isUnbounded } || budget.ratio < Inflater.largestRatio
    self.buffers = buffers
    self.memory = memory
    self.held = held
    counts = Array(repeating: 0, count: stages.count + 1)
  }

  package func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance) {
    if !isStreaming, held?.take(octets) == true {
      allowance.memoryHeld = memory.held
      return
    }
    feed(octets, within: &allowance) { _ in }
  }

  package func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance, output: (RawSpan) -> Void) {
    guard octets.byteCount > 0 else { return }
    memory.windows.room = allowance.memoryRoom
    if !isStreaming { stream(&allowance, output) }
    decode(octets, &allowance, output)
    allowance.memoryHeld = memory.held
  }

  /// From here on octets are decoded as they come, those that were kept first.
  private func stream(_ allowance: inout DecodingAllowance, _ output: (RawSpan) -> Void) {
    isStreaming = true
    guard let kept = held?.giveAway() else { return }
    kept.withOctets { decode($0, &allowance, output) }
  }

  private func decode(_ octets: RawSpan, _ allowance: inout DecodingAllowance, _ output: (RawSpan) -> Void) {
    guard failure == nil, octets.byteCount > 0 else { return }
    allowance.earn(octets.byteCount)
    guard !allowance.isExceeded else {
      failure = .beyondLimit
      return resetStages()
    }
    var start = 0
    while start < octets.byteCount {
      let end =
        isUnbounded
        ? budget.pieceEnd(from: start, length: octets.byteCount, after: counts[0]) : octets.byteCount
      counts[0] += end - start
      guard pass(octets.extracting(start..<end), to: 0, &allowance, output) else {
        // The rest of the message may be long in coming; nothing is held for it.
        return resetStages()
      }
      start = end
    }
  }

  /// Passes octets to the stage at `index` and all after it; false once nothing more is wanted.
  private func pass(
    _ octets: RawSpan, to index: Int, _ allowance: inout DecodingAllowance, _ output: (RawSpan) -> Void
  ) -> Bool {
    guard index < stages.count else {
      output(octets)
      return true
    }
    let buffer = buffers.take()
    defer { buffers.giveBack(buffer) }
    let found = stages[index].decode(octets, buffer: buffer) { octets in
      guard count(octets.byteCount, outOf: index, &allowance) else {
        failure = .beyondLimit
        return false
      }
      return pass(octets, to: index + 1, &allowance, output)
    }
    failure = failure ?? found
    return failure == nil
  }

  /// Counts what came out of the stage at `index`; false when that is beyond what may.
  private func count(_ octets: Int, outOf index: Int, _ allowance: inout DecodingAllowance) -> Bool {
    counts[index + 1] += octets
    made += octets
    return allowance.spend(octets) && counts[index + 1] <= budget.octets
      && (!isUnbounded || made <= budget.total(after: counts[0]))
  }

  /// Octets of the content, if it was kept as a whole; else 0.
  var heldCount: Int { isStreaming ? 0 : held?.octets.count ?? 0 }

  /// The content, which was kept as a whole; it is the caller's, and the decoder is ready for the next one.
  func takeWhole() -> [UInt8] { held?.giveAway() ?? [] }

  package func finish(within allowance: inout DecodingAllowance) -> ContentOutcome {
    defer { reset() }
    memory.windows.room = allowance.memoryRoom
    if !isStreaming { stream(&allowance) { _ in } }
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
    made = 0
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
