import Foundation

/// A value behind a lock, for threads that share it: every access goes through `withLock`, which is why the compiler need not
/// see that it is guarded.
///
/// What `Synchronization.Mutex` is, but for two things. Apps whose systems are older than that can have it. And its lock is
/// one that the thread sanitizer sees: of a `Mutex` of Swift 6.3 on Linux it does not see what happens when threads wait for
/// it, and then calls what is guarded a race.
///
/// Unsafe site: that nothing overlaps is not looked for at each access, since the lock sees to it.
@safe
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  @exclusivity(unchecked) private var value: Value

  /// A value that nobody else can reach any more.
  package init(_ value: sending Value) { unsafe self.value = value }

  /// Looks at the value, or changes it, while no other thread can. `body` must not come back to this lock.
  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    lock.lock()
    defer { lock.unlock() }
    return try unsafe body(&value)
  }
}
