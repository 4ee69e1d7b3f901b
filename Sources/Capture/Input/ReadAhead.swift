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
      unsafe memory = .allocate(byteCount: headroom + ReadAhead.bufferLength, alignment: OctetWindow.alignment)
    }

    deinit { unsafe memory.deallocate() }

    fileprivate func fill(from source: any OctetSource) throws(CaptureError) {
      let room = unsafe UnsafeMutableRawBufferPointer(start: memory + headroom, count: ReadAhead.bufferLength)
      count = try unsafe source.read(into: room)
    }
  }

  /// Blocks to be filled, filled ones, and why there will be no more of these.
  private final class Shared: Sendable {
    let free: Handover<Block>
    let filled = Handover<Block>(wakesAt: ReadAhead.count / 2)
    /// Nil without an error.
    let error = Locked<CaptureError?>(nil)

    init() { free = Handover((0..<ReadAhead.count).map { _ in Block() }, wakesAt: ReadAhead.count / 2) }

    func fill(from source: any OctetSource) {
      do throws(CaptureError) {
        while let block = free.take() {
          try block.fill(from: source)
          if block.count == 0 { break }
          filled.give(block)
        }
      } catch {
        self.error.withLock { $0 = error }
      }
      filled.end()
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
    shared.free.close()
    thread.join()
  }

  /// Takes the next block, once it is there; nil at the end. Throws what reading it threw.
  func next() throws(CaptureError) -> Block? {
    if let block = shared.filled.take() { return block }
    if let error = shared.error.withLock({ $0 }) { throw error }
    return nil
  }

  /// Gives a block back.
  func recycle(_ block: Block) { shared.free.give(block) }
}
