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

/// Contents that are whole, and that threads of their own decode while the analysis goes on.
///
/// An outcome is the same whoever decodes. Who asks for one that no thread has begun decodes it itself, and meanwhile another
/// one when a thread is at it: neither side waits for the other while there is something to decode.
final class PendingContents: Sendable {
  /// Octets that wait for a thread at most. Beyond that the analysis decodes at once: who asks for the end of a run waits for
  /// all of them, from which up to 1 GiB may come.
  static let waitingLimit = 1 << 20
  /// Contents that wait before a thread is woken: waking one takes about as long as decoding a small content.
  private static let wakingCount = 16

  fileprivate enum Place {
    case unused
    case waiting([UInt8])
    /// A thread is at it.
    case taken
    case done(ContentOutcome)
  }

  fileprivate struct State {
    var places: [Place] = []
    var unused: [Int] = []
    /// Places that were given a content, oldest first; some are done meanwhile, or have been given another one.
    var order: [Int] = []
    /// The first of `order` that no thread has looked at.
    var next = 0
    var waitingCount = 0
    var waitingOctets = 0
    /// Threads that are at work, or about to be.
    var threads = 0
    /// Decoders of threads that found nothing more to do, for the next ones.
    var decoders: [WholeContentDecoder] = []
  }

  private let threadLimit: Int
  private let contentLimit: Int
  private let state = Locked(State())
  private let queue = DispatchQueue(label: "sniffer.decoding", attributes: .concurrent)

  /// At most `contentLimit` octets may come out of one, and at most `threads` threads decode.
  init(contentLimit: Int, threads: Int) {
    self.contentLimit = contentLimit
    threadLimit = threads
  }

  /// Takes a content. `own` is the caller's decoder, for when nobody else can take it.
  func add(_ octets: [UInt8], own: WholeContentDecoder) -> PendingContent {
    if threadLimit > 0, let index = offer(octets) { return PendingContent(ticket: index) }
    return add(own.outcome(of: octets))
  }

  /// Takes a content of which it is known what comes of it.
  func add(_ outcome: ContentOutcome) -> PendingContent {
    PendingContent(ticket: state.withLock { $0.put(.done(outcome)) })
  }

  /// Lets a content wait for a thread, and wakes one if that is worth it; nil when too much waits already.
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
        // It takes microseconds, or as long as that thread gets no processor: time for the one that is asked for next.
        guard let (index, octets) = state.withLock({ $0.takeOldest() }) else {
          sched_yield()
          continue
        }
        decode(octets, of: index, by: own)
      case .unused: preconditionFailure("the content was forgotten")
      }
    }
  }

  /// The outcome of a content that was added and not forgotten, if it is there already.
  func outcomeSoFar(of content: PendingContent) -> ContentOutcome? {
    state.withLock { $0.outcome(content.ticket) }
  }

  /// Forgets a content that was added. Returns its outcome, if that is there.
  func forget(_ content: PendingContent) -> ContentOutcome? {
    state.withLock { state in
      defer {
        state.places[content.ticket] = .unused
        state.unused.append(content.ticket)
      }
      return state.outcome(content.ticket)
    }
  }

  /// Decodes until nothing waits.
  private func work() {
    let decoder = state.withLock { $0.decoders.popLast() } ?? WholeContentDecoder(limit: contentLimit)
    while let (index, octets) = state.withLock({ $0.takeOldest(orLeave: decoder) }) {
      decode(octets, of: index, by: decoder)
    }
  }

  /// Decodes what was taken from the place `index`, and leaves the outcome there.
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

  /// The outcome at `index`, if it is there.
  fileprivate func outcome(_ index: Int) -> ContentOutcome? {
    if case .done(let outcome) = places[index] { outcome } else { nil }
  }

  /// What is at `index`; what waits there is the caller's to decode.
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

  /// The content that has waited longest, if one waits.
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

  /// As above. If none waits, the calling thread counts as gone, and has given its decoder back.
  fileprivate mutating func takeOldest(orLeave decoder: WholeContentDecoder) -> (Int, [UInt8])? {
    if let oldest = takeOldest() { return oldest }
    threads -= 1
    decoders.append(decoder)
    return nil
  }

  /// Drops what was looked at, and what no longer waits, so that no more is kept than waits.
  private mutating func forgetOrderIfLong() {
    guard order.count > 64 + 4 * waitingCount else { return }
    order.removeSubrange(..<next)
    next = 0
    order.removeAll { index in
      if case .waiting = places[index] { false } else { true }
    }
  }
}
