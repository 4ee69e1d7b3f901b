import HTTPReassembly
import Packets

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
  private let own: OwnMemory<State>

  /// What is known of the content.
  private struct State {
    /// The content so far, while it is kept to be decoded as a whole; nil for codings of which only one pass as it comes is known.
    var held: HeldContent?
    /// Whether the stages have got octets of this content.
    var isStreaming = false
    /// Whether its source keeps it for the next content.
    var isIdle = false
    /// Octets that went into each stage, and last those that came out of the last one.
    var counts: [Int]
    /// Octets that came out of all stages.
    var made = 0
    /// Why nothing more comes out; nil while it does.
    var failure: ContentFailure?
  }

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
    own = OwnMemory(State(held: held, counts: Array(repeating: 0, count: stages.count + 1)))
  }

  package func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance) {
    if !own.value.isStreaming, own.value.held?.take(octets) == true {
      allowance.memoryHeld = memory.held
      return
    }
    feed(octets, within: &allowance) { _ in }
  }

  package func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance, output: (RawSpan) -> Void) {
    guard octets.byteCount > 0 else { return }
    memory.windows.room = allowance.memoryRoom
    if !own.value.isStreaming { stream(&allowance, output) }
    decode(octets, &allowance, output)
    allowance.memoryHeld = memory.held
  }

  /// From here on octets are decoded as they come, those that were kept first.
  private func stream(_ allowance: inout DecodingAllowance, _ output: (RawSpan) -> Void) {
    own.value.isStreaming = true
    guard let kept = own.value.held?.giveAway() else { return }
    kept.withOctets { decode($0, &allowance, output) }
  }

  private func decode(_ octets: RawSpan, _ allowance: inout DecodingAllowance, _ output: (RawSpan) -> Void) {
    guard own.value.failure == nil, octets.byteCount > 0 else { return }
    allowance.earn(octets.byteCount)
    guard !allowance.isExceeded else {
      own.value.failure = .beyondLimit
      return resetStages()
    }
    var start = 0
    while start < octets.byteCount {
      let end =
        isUnbounded
        ? budget.pieceEnd(from: start, length: octets.byteCount, after: own.value.counts[0]) : octets.byteCount
      own.value.counts[0] += end - start
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
        own.value.failure = .beyondLimit
        return false
      }
      return pass(octets, to: index + 1, &allowance, output)
    }
    own.value.failure = own.value.failure ?? found
    return own.value.failure == nil
  }

  /// Counts what came out of the stage at `index`; false when that is beyond what may.
  private func count(_ octets: Int, outOf index: Int, _ allowance: inout DecodingAllowance) -> Bool {
    own.value.counts[index + 1] += octets
    own.value.made += octets
    return allowance.spend(octets) && own.value.counts[index + 1] <= budget.octets
      && (!isUnbounded || own.value.made <= budget.total(after: own.value.counts[0]))
  }

  /// Octets of the content, if it was kept as a whole; else 0.
  var heldCount: Int { own.value.isStreaming ? 0 : own.value.held?.octets.count ?? 0 }

  /// The content, if it was kept as a whole.
  var heldOctets: [UInt8] { own.value.held?.octets ?? [] }

  /// Forgets the content, which was kept as a whole, but keeps the memory for the next one.
  func forgetHeld() { own.value.held?.forget() }

  /// Whether its source keeps it for the next content.
  var isIdle: Bool {
    get { own.value.isIdle }
    set { own.value.isIdle = newValue }
  }

  /// The content, which was kept as a whole; it is the caller's, and the decoder is ready for the next one.
  func takeWhole() -> [UInt8] { own.value.held?.giveAway() ?? [] }

  package func finish(within allowance: inout DecodingAllowance) -> ContentOutcome {
    defer { reset() }
    memory.windows.room = allowance.memoryRoom
    if !own.value.isStreaming { stream(&allowance) { _ in } }
    if let failure = own.value.failure { return .failed(failure) }
    var hasJunk = false
    // A stage that got nothing is complete: servers name a coding for empty content without applying it.
    for (stage, count) in zip(stages, own.value.counts) where count > 0 {
      switch stage.end {
      case .missing: return .failed(.truncated)
      case .reached: continue
      case .followedByJunk: hasJunk = true
      }
    }
    let octets = own.value.counts[stages.count]
    return hasJunk ? .decodedWithTrailingJunk(octets: octets) : .decoded(octets: octets)
  }

  /// Forgets the message, finished or not.
  func reset() {
    if own.value.isStreaming {
      resetStages()
      for index in own.value.counts.indices {
        own.value.counts[index] = 0
      }
    }
    own.value.made = 0
    own.value.failure = nil
    own.value.isStreaming = false
    own.value.held?.forget()
  }

  private func resetStages() {
    for (stage, count) in zip(stages, own.value.counts) where count > 0 {
      stage.reset()
    }
  }
}
