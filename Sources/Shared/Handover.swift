import Dispatch

/// Things on their way from one thread to another, in order.
///
/// To wake a thread takes some 50 microseconds where processors are virtual. So one that found nothing is woken when there are
/// several things at once, or when there will be no more. Where things go to another thread by one of these and come back by
/// a second one, there must be at least as many as both wait for together, less one: else both threads may wait.
package final class Handover<Thing: Sendable>: Sendable {
  private struct State {
    /// A few: the first is taken out of the array, which moves the others.
    var things: [Thing]
    var isWaitedFor = false
    var isEnded = false
  }

  private let state: Locked<State>
  private let wakesAt: Int
  /// Rung once for each wait.
  private let bell = DispatchSemaphore(value: 0)

  /// With `things` to begin with. Who waits is woken when there are `wakesAt` of them, from 1 on.
  package init(_ things: [Thing] = [], wakesAt: Int) {
    state = Locked(State(things: things))
    self.wakesAt = wakesAt
  }

  /// Hands a thing over. Nobody gets it any more after the end.
  package func give(_ thing: consuming Thing) {
    // It moves: who takes it has it alone at once, and can change it without a copy.
    var moving: Thing? = consume thing
    let wakes = state.withLock { state in
      guard !state.isEnded, let thing = moving.take() else { return false }
      state.things.append(thing)
      return state.things.count >= wakesAt && state.isWaitedFor.take()
    }
    if wakes { bell.signal() }
  }

  /// Says that there will be no more: who takes gets what is there, and then nil.
  package func end() {
    let wakes = state.withLock { state in
      state.isEnded = true
      return state.isWaitedFor.take()
    }
    if wakes { bell.signal() }
  }

  /// As `end`, but what is there is taken away.
  package func close() {
    state.withLock { $0.things = [] }
    end()
  }

  /// How many things are there while a thread waits that nobody woke; nil if none does.
  var countBeforeWaking: Int? { state.withLock { $0.isWaitedFor ? $0.things.count : nil } }

  /// Takes the first thing, waiting for it if there is none; nil after the end. For one thread.
  package func take() -> Thing? {
    while true {
      let (thing, isOver) = state.withLock { state -> (Thing?, Bool) in
        if !state.things.isEmpty { return (state.things.removeFirst(), false) }
        state.isWaitedFor = !state.isEnded
        return (nil, state.isEnded)
      }
      if thing != nil || isOver { return thing }
      bell.wait()
    }
  }
}
