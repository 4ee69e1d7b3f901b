import Foundation
import Testing

/// Runs what blocks on a thread of its own: those of tasks are few, and loads of other tests need them.
func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}

/// Looks again and again until something holds. Ten minutes are more than it takes on any machine.
func wait(until holds: () throws -> Bool) async throws {
  for _ in 0..<60_000 {
    if try holds() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  try #require(Bool(false), "it did not come within ten minutes")
}
