import Dispatch
import HTTPReassembly
import Shared

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Whole contents that other threads decode during the analysis.
///
/// The outcome does not depend on the thread. A caller that asks for an outcome decodes the content itself if no thread has begun it. If a
/// thread has, the caller decodes another one meanwhile. So neither side waits while there is work.
final class PendingContents: Sendable {
  /// The most octets that wait for a thread. Beyond it, the analysis decodes at once: the end of a run waits for all of them, and they may
  /// produce 1 GiB.
  static let waitingLimit = 1 << 20
  /// Contents that wait before a thread is woken. Waking one takes about as long as decoding a small content.
  private static let wakingCount = 16

  fileprivate enum Place {
    case unused
    case waiting([UInt8])
    /// A thread is decoding the content.
    case taken
    case done(ContentOutcome)
  }

  fileprivate struct State {
    var places: [Place] = []
    var unused: [Int] = []
    /// Places that got a content, oldest first. Some are done, or have another content by now.
    var order: [Int] = []
    /// The index in `order` of the first place that no thread has examined.
    var next = 0
    var waitingCount = 0
    var waitingOctets = 0
    /// Threads that work or are about to.
    var threads = 0
    /// Decoders of threads that have ended, for new threads.
    var decoders: [WholeContentDecoder] = []
  }

  private let threadLimit: Int
  private let contentLimit: Int
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "sniffer.decoding", attributes: .concurrent)

  /// Creates an empty set. A content produces at most `contentLimit` octets, and at most `threads` threads decode.
  init(contentLimit: Int, threads: Int) {
    self.contentLimit = contentLimit
    threadLimit = threads
  }

  /// Adds a content. `own` is the caller's decoder, used if no thread can take it.
  func add(_ octets: [UInt8], own: WholeContentDecoder) -> PendingContent {
    if threadLimit > 0, let index = offer(octets) { return PendingContent(ticket: index) }
    return add(own.outcome(of: octets))
  }

  /// Adds a content whose outcome is known.
  func add(_ outcome: ContentOutcome) -> PendingContent {
    PendingContent(ticket: state.withLock { $0.put(.done(outcome)) })
  }

  /// Queues a content for a thread, and wakes one if that pays; nil if too much waits already.
  private func offer(_ octets: [UInt8]) -> Int? {
    let (index, wakes) = state.withLock { state -> (Int?, Bool) in
      guard state.waitingOctets + octets.count <= Self.waitingLimit else { return (nil, false) }
      let index = state.put(.waiting(octets))
      let wakes = state.waitingCount >= Self.wakingCount * (state.threads + 1) && state.threads < threadLimit
      if wakes { state.threads += 1 }
      return (index, wakes)
    }
    if wakes { queue.async { self.work() } }
    return index
  }

  /// The outcome of a content that was added and not forgotten.
  func outcome(of content: PendingContent, own: WholeContentDecoder) -> ContentOutcome {
    while true {
      let place = state.withLock { $0.take(content.ticket) }
      switch place {
      case .waiting(let octets): return decode(octets, of: content.ticket, by: own)
      case .done(let outcome): return outcome
      case .taken:
        // The other thread needs microseconds, or longer if it has no processor. Meanwhile the next content is decoded.
        guard let (index, octets) = state.withLock({ $0.takeOldest() }) else {
          sched_yield()
          continue
        }
        decode(octets, of: index, by: own)
      case .unused: preconditionFailure("the content was forgotten")
      }
    }
  }

  /// The outcome of a content that was added and not forgotten; nil if it is not known yet.
  func outcomeSoFar(of content: PendingContent) -> ContentOutcome? {
    state.withLock { $0.outcome(content.ticket) }
  }

  /// Forgets a content that was added. Returns its outcome if it is known.
  func forget(_ content: PendingContent) -> ContentOutcome? {
    state.withLock { state in
      defer {
        state.places[content.ticket] = .unused
        state.unused.append(content.ticket)
      }
      return state.outcome(content.ticket)
    }
  }

  /// Decodes until no content waits.
  private func work() {
    let decoder = state.withLock { $0.decoders.popLast() } ?? WholeContentDecoder(limit: contentLimit)
    while let (index, octets) = state.withLock({ $0.takeOldest(orLeave: decoder) }) {
      decode(octets, of: index, by: decoder)
    }
  }

  /// Decodes the content of the place `index`, and stores the outcome there.
  @discardableResult
  private func decode(_ octets: [UInt8], of index: Int, by decoder: WholeContentDecoder) -> ContentOutcome {
    let outcome = decoder.outcome(of: octets)
    state.withLock { $0.places[index] = .done(outcome) }
    return outcome
  }
}

extension PendingContents.State {
  fileprivate mutating func put(_ place: PendingContents.Place) -> Int {
    let index = unused.popLast() ?? places.count
    if index == places.count { places.append(place) } else { places[index] = place }
    if case .waiting(let octets) = place {
      waitingCount += 1
      waitingOctets += octets.count
      order.append(index)
    }
    return index
  }

  /// The outcome at `index`; nil if it is not known yet.
  fileprivate func outcome(_ index: Int) -> ContentOutcome? {
    if case .done(let outcome) = places[index] { outcome } else { nil }
  }

  /// Returns the content of the place `index`. If it waits, the caller must decode it.
  fileprivate mutating func take(_ index: Int) -> PendingContents.Place {
    let place = places[index]
    if case .waiting(let octets) = place {
      places[index] = .taken
      waitingCount -= 1
      waitingOctets -= octets.count
      forgetOrderIfLong()
    }
    return place
  }

  /// Takes the content that has waited longest; nil if none waits.
  fileprivate mutating func takeOldest() -> (Int, [UInt8])? {
    while next < order.count {
      let index = order[next]
      next += 1
      if case .waiting(let octets) = take(index) { return (index, octets) }
    }
    order.removeAll(keepingCapacity: true)
    next = 0
    return nil
  }

  /// Takes the oldest content, as `takeOldest()` does. If none waits, the calling thread counts as ended and leaves its decoder.
  fileprivate mutating func takeOldest(orLeave decoder: WholeContentDecoder) -> (Int, [UInt8])? {
    if let oldest = takeOldest() { return oldest }
    threads -= 1
    decoders.append(decoder)
    return nil
  }

  /// Removes examined places and those that no longer wait, so that the list stays about as long as the queue.
  private mutating func forgetOrderIfLong() {
    guard order.count > 64 + 4 * waitingCount else { return }
    order.removeSubrange(..<next)
    next = 0
    order.removeAll { index in
      if case .waiting = places[index] { false } else { true }
    }
  }
}
