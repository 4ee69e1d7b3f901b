import Dispatch

/// A thread that works on batches in order, while its owner fills the next ones.
///
/// A few batches may wait; with more, the owner waits. Finished batches come back to be filled again. The owner ends the thread by `finish`
/// or `end`.
package final class BatchThread<Batch: Sendable, State>: Sendable {
  private let state: Locked<State>
  /// Empty batches, and batches for the thread.
  private let free: Handover<Batch>
  private let full: Handover<Batch>
  private let queue: DispatchQueue

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - label: The name for debuggers.
  ///   - state: State for the work; no other code can access it.
  ///   - batches: Empty batches beside the owner's own, at least two.
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

  /// Hands a batch over, and waits for the batch that came back first; nil after the end.
  package func exchange(_ batch: consuming Batch) -> Batch? {
    full.give(batch)
    return free.take()
  }

  /// Hands the last batch over, and waits until all are done.
  package func finish(_ last: consuming Batch) {
    full.give(last)
    end()
    queue.sync {}
  }

  /// Ends the thread once its batches are done.
  package func end() { full.end() }

  /// Reads or changes the state. Waits for the current batch.
  package func withState<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock(body)
  }
}
