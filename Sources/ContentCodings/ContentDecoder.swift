import HTTPReassembly
import Packets

/// Removes a row of content codings from one message's content at a time, and counts the output.
///
/// It decodes octets as they come. It decodes a short content at once when all octets are there, if that is faster and the output is not
/// needed.
package final class ContentDecoder: ContentDecoding {
  /// The codings' names, in the order of application.
  let codings: [String]
  /// One stage for each coding, in the order of removal.
  private let stages: [any CodingStage]
  /// The limits of the output.
  private let budget: DecodingBudget
  /// Whether the codings could produce more for each coded octet than the budget allows.
  private let isUnbounded: Bool
  private let buffers: OutputBuffers
  private let memory: DecoderMemory
  private let own: OwnMemory<State>

  /// The state of the current content.
  private struct State {
    /// The content so far, while it is kept to be decoded as a whole. Nil for codings that are always decoded as octets come.
    var held: HeldContent?
    /// Whether the stages have taken octets of this content.
    var isStreaming = false
    /// Whether its source keeps it as a spare.
    var isIdle = false
    /// Octets that went into each stage; the last element is the output of the last stage.
    var counts: [Int]
    /// Octets of output, all stages together.
    var made = 0
    /// The reason why decoding stopped; nil while it goes on.
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

  /// Starts decoding octets as they come, beginning with the kept ones.
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
        // The rest of the message may come much later, so its memory is freed.
        return resetStages()
      }
      start = end
    }
  }

  /// Passes octets to the stage at `index` and the stages after it. Returns false to stop decoding.
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
    if found != nil { _ = allowance.spend(stages[index].unlent) }
    own.value.failure = own.value.failure ?? found
    return own.value.failure == nil
  }

  /// Counts output of the stage at `index`; false if it exceeds a limit.
  private func count(_ octets: Int, outOf index: Int, _ allowance: inout DecodingAllowance) -> Bool {
    own.value.counts[index + 1] += octets
    own.value.made += octets
    return allowance.spend(octets) && own.value.counts[index + 1] <= budget.octets
      && (!isUnbounded || own.value.made <= budget.total(after: own.value.counts[0]))
  }

  /// Octets of the content if it is kept as a whole, else 0.
  var heldCount: Int { own.value.isStreaming ? 0 : own.value.held?.octets.count ?? 0 }

  /// The content if it is kept as a whole.
  var heldOctets: [UInt8] { own.value.held?.octets ?? [] }

  /// Forgets the content that is kept as a whole, but keeps its memory for the next one.
  func forgetHeld() { own.value.held?.forget() }

  /// Whether its source keeps it as a spare.
  var isIdle: Bool {
    get { own.value.isIdle }
    set { own.value.isIdle = newValue }
  }

  /// Returns the content that was kept as a whole, with its memory. The decoder is then ready for the next one.
  func takeWhole() -> [UInt8] { own.value.held?.giveAway() ?? [] }

  package func finish(within allowance: inout DecodingAllowance) -> ContentOutcome {
    defer { reset() }
    memory.windows.room = allowance.memoryRoom
    if !own.value.isStreaming { stream(&allowance) { _ in } }
    if let failure = own.value.failure { return .failed(failure) }
    var hasJunk = false
    // A stage without input is complete: servers name a coding for empty content without applying it.
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
