import Foundation

/// A value behind a lock, for threads that share it. Every access goes through `withLock`, so the compiler need not check that it is
/// guarded.
///
/// It differs from `Synchronization.Mutex` in two ways. It works in apps on older systems. And the thread sanitizer understands its lock:
/// with a `Mutex` of Swift 6.3 on Linux, it misses the waiting of threads and reports races.
///
/// Unsafe: accesses are not checked for overlap, since the lock prevents it.
@safe
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  @exclusivity(unchecked) private var value: Value

  /// Takes a value that no other code can access any more.
  package init(_ value: sending Value) { unsafe self.value = value }

  /// Reads or changes the value while no other thread can. `body` must not use this lock.
  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    lock.lock()
    defer { lock.unlock() }
    return try unsafe body(&value)
  }
}
