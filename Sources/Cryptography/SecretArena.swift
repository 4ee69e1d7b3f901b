// Unsafe: the class owns the memory, so that it can clear it before it is given back. It is lent only as spans.

import CCrypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Secret octets in memory of their own, which is cleared before it is given back.
@safe
package final class SecretOctets {
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of octets.
  package var count: Int { unsafe memory.count }

  /// Creates octets of value 0.
  package init(count: Int) {
    unsafe memory = .allocate(byteCount: max(count, 0), alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Creates a copy of octets.
  package convenience init(_ octets: RawSpan) {
    self.init(count: octets.byteCount)
    unsafe octets.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
  }

  deinit {
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }

  /// Lends the octets.
  package func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory)))
  }

  /// Lends some of the octets.
  package func withOctets<Result>(in range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
    withOctets { body($0.extracting(range)) }
  }

  /// Lends the octets for writing.
  @unsafe
  func withMemory<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(memory) }
}

// Unsafe: the memory comes from the system in whole pages, so that no core dump has it and nothing else is on them. Only `append` writes
// it, once. It is lent as spans whose ranges are checked.

/// Secrets, one behind the other, in memory that is cleared before it is given back. On Linux, no core dump has it.
@safe
package final class SecretArena {
  /// Octets of a block of memory, and so of the longest secret.
  package static let blockLength = 1 << 20
  private var blocks: [UnsafeMutableRawPointer] = unsafe []
  private var end = 0

  /// Creates an empty arena.
  package init() {}

  deinit {
    for index in unsafe blocks.indices {
      unsafe OPENSSL_cleanse(blocks[index], Self.blockLength)
      unsafe munmap(blocks[index], Self.blockLength)
    }
  }

  /// Octets of memory that the arena takes.
  package var memory: Int { unsafe blocks.count * Self.blockLength }

  /// Keeps a copy of some octets. Returns their offset; nil if the system has no memory, or they are too many.
  package func append(_ octets: RawSpan) -> Int? {
    guard octets.byteCount <= Self.blockLength else { return nil }
    let room = unsafe blocks.count * Self.blockLength - end
    if room < octets.byteCount {
      let flags = MAP_PRIVATE | MAP_ANONYMOUS
      guard let block = unsafe mmap(nil, Self.blockLength, PROT_READ | PROT_WRITE, flags, -1, 0),
        unsafe block != MAP_FAILED
      else { return nil }
      #if os(Linux)
        unsafe madvise(block, Self.blockLength, MADV_DONTDUMP)
      #endif
      end = unsafe blocks.count * Self.blockLength
      unsafe blocks.append(block)
    }
    let offset = end
    unsafe octets.withUnsafeBytes { octets in
      guard let source = octets.baseAddress else { return }
      unsafe (blocks[offset / Self.blockLength] + offset % Self.blockLength).copyMemory(
        from: source, byteCount: octets.count)
    }
    end += octets.byteCount
    return offset
  }

  /// Lends `count` octets from `offset` on, which were appended together.
  package func withOctets<Result>(at offset: Int, count: Int, _ body: (RawSpan) -> Result) -> Result {
    precondition(offset >= 0 && count >= 0 && offset + count <= end)
    precondition(offset % Self.blockLength + count <= Self.blockLength)
    let start = unsafe UnsafeRawPointer(blocks[min(offset / Self.blockLength, blocks.count - 1)])
    return body(
      unsafe RawSpan(
        _unsafeBytes: UnsafeRawBufferPointer(start: start + offset % Self.blockLength, count: count)))
  }

  /// Changes the 32-bit number at `offset`.
  package func setNumber(_ number: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset + 4 <= end && offset % Self.blockLength + 4 <= Self.blockLength)
    unsafe (blocks[offset / Self.blockLength] + offset % Self.blockLength).storeBytes(of: number, as: UInt32.self)
  }

  /// The 32-bit number at `offset`.
  package func number(at offset: Int) -> UInt32 {
    withOctets(at: offset, count: 4) { unsafe $0.unsafeLoadUnaligned(as: UInt32.self) }
  }
}
