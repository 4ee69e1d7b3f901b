import Dispatch
import Locks

/// Reads a source on a thread of its own, a few blocks ahead of who takes them: what the system takes to copy a file, and a
/// library to decompress it, passes beside the analysis.
///
/// Unsafe sites: the blocks' memory, which is the thread's while it is filled, and then who took it.
@safe final class ReadAhead {
  /// Octets before each block, for what is left of the one before it.
  static let headroom = 64 << 10
  /// Octets of a block: enough that waking a thread for it costs nothing beside reading it.
  static let bufferLength = 512 << 10
  /// Blocks: one that is read from, one that is filled, and two for when either is late.
  private static let count = 4

  /// A block, of one thread at a time.
  @safe final class Block: @unchecked Sendable {
    /// `headroom` octets, and then room for `bufferLength`.
    let memory: UnsafeMutableRawPointer
    /// Octets in that room.
    fileprivate(set) var count = 0

    fileprivate init() {
      unsafe memory = .allocate(byteCount: headroom + ReadAhead.bufferLength, alignment: 16)
    }

    deinit { unsafe memory.deallocate() }

    fileprivate func fill(from source: any OctetSource) throws(CaptureError) {
      let room = unsafe UnsafeMutableRawBufferPointer(start: memory + headroom, count: ReadAhead.bufferLength)
      count = try unsafe source.read(into: room)
    }
  }

  private struct Queue {
    var filled: [Block] = []
    var free: [Block]
    /// Why there will be no more; nil without an error.
    var error: CaptureError?
    var isClosed = false
  }

  private final class Shared: Sendable {
    let queue: Locked<Queue>
    /// One for each block that is free, and one to end the thread. Counted from 0, below which no semaphore may end.
    let free = DispatchSemaphore(value: 0)
    /// One for each block that is filled, and one for the end.
    let filled = DispatchSemaphore(value: 0)

    init() {
      queue = Locked(Queue(free: (0..<ReadAhead.count).map { _ in Block() }))
      for _ in 0..<ReadAhead.count { free.signal() }
    }

    func fill(from source: any OctetSource) {
      while true {
        free.wait()
        guard let block = queue.withLock({ $0.isClosed ? nil : $0.free.popLast() }) else { return }
        do throws(CaptureError) {
          try block.fill(from: source)
        } catch {
          queue.withLock { $0.error = error }
          block.count = 0
        }
        let isEnd = block.count == 0
        if !isEnd { queue.withLock { $0.filled.append(block) } }
        filled.signal()
        if isEnd { return }
      }
    }
  }

  private let shared = Shared()
  private let thread: CaptureThread

  /// Starts the thread: from now on nobody else may read from the source. Throws when the system has no more threads.
  init(_ source: any OctetSource, name: String) throws(CaptureError) {
    // The thread's alone, as said above.
    nonisolated(unsafe) let source = source
    let shared = shared
    thread = try CaptureThread(name) { shared.fill(from: unsafe source) }
  }

  deinit {
    shared.queue.withLock { $0.isClosed = true }
    shared.free.signal()
    thread.join()
  }

  /// Takes the next block, once it is there; nil at the end. Throws what reading it threw.
  func next() throws(CaptureError) -> Block? {
    shared.filled.wait()
    let (block, error) = shared.queue.withLock { queue in
      (queue.filled.isEmpty ? nil : queue.filled.removeFirst(), queue.filled.isEmpty ? queue.error : nil)
    }
    if let block { return block }
    // The end is there for whoever asks again.
    shared.filled.signal()
    if let error { throw error }
    return nil
  }

  /// Gives a block back.
  func recycle(_ block: Block) {
    shared.queue.withLock { $0.free.append(block) }
    shared.free.signal()
  }
}
