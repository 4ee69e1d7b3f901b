import Dispatch
import Shared

/// Reads a source on a thread of its own, a few blocks ahead of the consumer: the analysis goes on while the system copies a
/// file, or a library decompresses it.
///
/// A consumer that is faster than the thread does not wait for it: it reads the next block of a plain file itself.
///
/// Unsafe sites: the blocks' memory, which belongs to one thread at a time: the one that fills it, then the consumer.
@safe final class ReadAhead {
  /// Octets before each block, for what is left of the one before it.
  static let headroom = 64 << 10
  /// Octets of a block: enough that waking a thread for it costs nothing beside reading it.
  static let bufferLength = 512 << 10
  /// Number of blocks: one that is consumed, one that is filled, and two for when either is late.
  private static let count = 4

  /// A block of memory, which belongs to one thread at a time.
  @safe final class Block: @unchecked Sendable {
    /// `headroom` octets, and then room for `bufferLength`.
    let memory: UnsafeMutableRawPointer
    /// Octets in that room.
    var count = 0
    /// Index of the source's block that it holds, from 0.
    var number = 0

    init() {
      unsafe memory = .allocate(byteCount: headroom + ReadAhead.bufferLength, alignment: OctetWindow.alignment)
    }

    deinit { unsafe memory.deallocate() }

    fileprivate var room: UnsafeMutableRawBufferPointer {
      unsafe UnsafeMutableRawBufferPointer(start: memory + headroom, count: ReadAhead.bufferLength)
    }
  }

  /// What is read from: only the thread uses a stream; any thread may read any part of a file.
  private enum Input {
    case file(FileInput, start: Int)
    case stream(any OctetSource)
  }

  /// What both threads use.
  private final class Shared: @unchecked Sendable {
    private let input: Input
    let order = Locked(BlockOrder((0..<ReadAhead.count).map { _ in Block() }))
    /// Signalled when the thread, or the consumer, is blocked and there is something to do.
    let freed = DispatchSemaphore(value: 0)
    let filled = DispatchSemaphore(value: 0)

    init(_ input: Input) { self.input = input }

    /// Whether both threads may read at the same time.
    var isFile: Bool { if case .file = input { true } else { false } }

    /// Reads a block that was claimed.
    func fill(_ block: Block) {
      var isLast = true
      var fault: CaptureError?
      block.count = 0
      do throws(CaptureError) {
        switch input {
        case .file(let file, let start):
          let offset = start + block.number * ReadAhead.bufferLength
          isLast = try unsafe file.read(at: offset, into: block.room, count: &block.count)
        case .stream(let source):
          block.count = try unsafe source.read(into: block.room)
          isLast = block.count == 0
        }
      } catch {
        fault = error
      }
      if order.withLock({ $0.add(block, isLast: isLast, fault: fault) }) { filled.signal() }
    }

    /// Reads until all is read, or the consumer is gone.
    func fillAll() {
      while true {
        let (block, isOver) = order.withLock { ($0.claimOrWait(), $0.isClaimed) }
        if let block { fill(block) } else if isOver { return } else { freed.wait() }
      }
    }
  }

  private let shared: Shared
  private let thread: SystemThread

  /// Starts the thread; the source must not be read in another way from now on. Throws when the system has no more threads.
  init(_ source: any OctetSource, name: String) throws(CaptureError) {
    let input: Input
    if let file = source as? FileInput, let start = file.offset {
      input = .file(file, start: start)
    } else {
      input = .stream(source)
    }
    let shared = Shared(input)
    self.shared = shared
    thread = try SystemThread(name) { shared.fillAll() }
  }

  deinit {
    if shared.order.withLock({ $0.close() }) { shared.freed.signal() }
    thread.join()
  }

  /// Takes the next block, once it is there; nil at the end. Throws what reading it threw.
  func next() throws(CaptureError) -> Block? {
    while true {
      switch shared.order.withLock({ step(&$0) }) {
      case .take(let block): return block
      case .read(let block): shared.fill(block)
      case .wait: shared.filled.wait()
      case .end(let fault):
        if let fault { throw fault }
        return nil
      }
    }
  }

  /// What the consumer does next.
  private enum Step {
    case take(Block)
    case read(Block)
    case wait
    case end(CaptureError?)
  }

  private func step(_ order: inout BlockOrder) -> Step {
    if let block = order.take() { return .take(block) }
    if order.isTaken { return .end(order.fault) }
    if shared.isFile, let block = order.claim() { return .read(block) }
    order.waitForNext()
    return .wait
  }

  /// Gives a block back.
  func recycle(_ block: Block) {
    if shared.order.withLock({ $0.recycle(block) }) { shared.freed.signal() }
  }
}
