import Dispatch

/// A thread that works on batches in their order, while its owner fills the next ones.
///
/// A few batches may wait; then the owner does. A batch that the thread is through with comes back to be filled again. The thread ends
/// when its owner says so, by `finish` or `end`.
package final class BatchThread<Batch: Sendable, State>: Sendable {
  private let state: Locked<State>
  /// Batches to be filled, and those to be worked on.
  private let free: Handover<Batch>
  private let full: Handover<Batch>
  private let queue: DispatchQueue

  /// Starts it.
  ///
  /// - Parameters:
  ///   - label: What debuggers call it.
  ///   - state: What the work is done with, and nobody else can reach.
  ///   - batches: Empty batches beside the one that the owner has: at least two.
  ///   - work: Works on a batch.
  package init(
    _ label: String, _ state: sending State, batches: [Batch],
    work: @escaping @Sendable (inout Batch, inout State) -> Void
  ) {
    self.state = Locked(state)
    free = Handover(batches, wakesAt: 2)
    full = Handover(wakesAt: 2)
    queue = DispatchQueue(label: label)
    queue.async { [self] in
      while var batch = full.take() {
        self.state.withLock { work(&batch, &$0) }
        free.give(consume batch)
      }
    }
  }

  /// Hands a batch over. Returns the one that came back first, once there is one; nil after the end.
  package func exchange(_ batch: consuming Batch) -> Batch? {
    full.give(batch)
    return free.take()
  }

  /// Hands the last batch over, and waits until all are worked on.
  package func finish(_ last: consuming Batch) {
    full.give(last)
    end()
    queue.sync {}
  }

  /// Ends the thread when it is through with what it has.
  package func end() { full.end() }

  /// Looks at the state, or takes something of it. Waits for a batch that is being worked on.
  package func withState<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock(body)
  }
}
