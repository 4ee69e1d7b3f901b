import Dispatch
import Locks

/// A value that a task sets once and a thread waits for.
final class FirstValue<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)
  private let arrival = DispatchSemaphore(value: 0)

  /// Sets the value, unless there is one.
  func settle(_ new: Value) {
    let isFirst = value.withLock { value in
      guard value == nil else { return false }
      value = new
      return true
    }
    if isFirst { arrival.signal() }
  }

  /// The value, or nil when it does not come in time. One thread waits, once.
  func wait(seconds: Int) -> Value? {
    _ = arrival.wait(timeout: .now() + .seconds(seconds))
    return value.withLock { $0 }
  }
}
