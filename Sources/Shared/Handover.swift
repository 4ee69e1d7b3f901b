import Dispatch

/// Passes things from one thread to another, in order.
///
/// Waking a thread takes some 50 microseconds on virtual processors. So a waiting thread is woken only when several things are there, or no
/// more will come. Things may go to another thread by one handover and come back by a second. There must then be at least as many things as
/// the two handovers wait for together, minus one. With fewer, both threads may wait.
package final class Handover<Thing: Sendable>: Sendable {
  private struct State {
    /// Few things, since removing the first moves the others.
    var things: [Thing]
    var isWaitedFor = false
    var isEnded = false
  }

  private let state: Locked<State>
  private let wakesAt: Int
  /// Signaled once for each wait.
  private let bell = DispatchSemaphore(value: 0)

  /// Starts with `things`. A waiting thread is woken when there are `wakesAt` of them, at least 1.
  package init(_ things: [Thing] = [], wakesAt: Int) {
    state = Locked(State(things: things))
    self.wakesAt = wakesAt
  }

  /// Passes a thing on. After the end, it is dropped.
  package func give(_ thing: consuming Thing) {
    // The thing is moved, so the taker owns it alone and can change it without a copy.
    var moving: Thing? = consume thing
    let wakes = state.withLock { state in
      guard !state.isEnded, let thing = moving.take() else { return false }
      state.things.append(thing)
      return state.things.count >= wakesAt && state.isWaitedFor.take()
    }
    if wakes { bell.signal() }
  }

  /// Ends the handover: takers get the remaining things, and then nil.
  package func end() {
    let wakes = state.withLock { state in
      state.isEnded = true
      return state.isWaitedFor.take()
    }
    if wakes { bell.signal() }
  }

  /// Ends the handover and drops the remaining things.
  package func close() {
    state.withLock { $0.things = [] }
    end()
  }

  /// The number of things while a thread waits and has not been woken; nil if none waits.
  var countBeforeWaking: Int? { state.withLock { $0.isWaitedFor ? $0.things.count : nil } }

  /// Takes the first thing, and waits for one if there is none; nil after the end. Only one thread may call it.
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
