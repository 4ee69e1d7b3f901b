/// A window on an octet source: one buffer that is refilled in place, and a cursor in it.
///
/// Octets stay in place until the next `fill`, also those before the cursor. Unsafe sites: the buffer, which this type owns, and
/// loads from it, each checked against the filled part.
@safe struct OctetWindow: ~Copyable {
  /// Octets of the buffer by default. Of 64 KiB to 4 MiB, 128 to 256 KiB were fastest. There are few system calls, and copied
  /// octets are still in the second-level cache when they are used.
  static let defaultCapacity = 256 << 10
  /// Alignment of buffers that the system copies to: a page. Then it writes whole cache lines without fetching them first.
  /// Fetching lines from another processor's cache took twice as long.
  static let alignment = 4096

  let source: any OctetSource
  private let name: String
  let isDecompressed: Bool
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// The thread that reads the source; nil until `readAhead` is called.
  private var ahead: ReadAhead?
  /// The block that owns `memory`; nil when the window owns it.
  private var block: ReadAhead.Block?
  /// Index of the cursor in the buffer.
  private var start = 0
  /// End of the filled part.
  private var end = 0
  /// Offset of the cursor in the source, in octets.
  private(set) var offset = 0

  init(source: any OctetSource, name: String, isDecompressed: Bool, capacity: Int) {
    self.source = source
    self.name = name
    self.isDecompressed = isDecompressed
    self.capacity = capacity
    unsafe memory = .allocate(byteCount: capacity, alignment: Self.alignment)
  }

  deinit {
    if block == nil { unsafe memory.deallocate() }
  }

  /// Reads the source on another thread from now on, if the system has one.
  mutating func readAhead() { ahead = try? ReadAhead(source, name: name) }

  /// Octets available from the cursor on.
  @inline(__always)
  var available: Int { end - start }

  /// Makes `count` octets available from the cursor on; false if the source ends before.
  @inline(__always)
  mutating func fill(_ count: Int) throws(CaptureError) -> Bool {
    available >= count ? true : try refill(count)
  }

  @inline(never)
  private mutating func refill(_ count: Int) throws(CaptureError) -> Bool {
    while let ahead, available < count {
      guard let next = try ahead.next() else { return false }
      take(next, from: ahead)
    }
    if available >= count { return true }
    makeRoom(for: count)
    while available < count {
      let room = unsafe UnsafeMutableRawBufferPointer(start: memory + end, count: capacity - end)
      let received = try unsafe source.read(into: room)
      guard received > 0 else { return false }
      end += received
    }
    return true
  }

  /// Continues in the next block that was read ahead, with the rest of the current one before it.
  private mutating func take(_ next: ReadAhead.Block, from ahead: ReadAhead) {
    let left = available
    guard left <= ReadAhead.headroom else {
      // A longer packet: its octets move to memory that the window owns.
      let larger = max(left + next.count, 2 * left)
      let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      unsafe grown.copyMemory(from: memory + start, byteCount: left)
      unsafe (grown + left).copyMemory(from: next.memory + ReadAhead.headroom, byteCount: next.count)
      end = left + next.count
      ahead.recycle(next)
      unsafe leave(for: grown, capacity: larger, block: nil, ahead)
      start = 0
      return
    }
    let first = ReadAhead.headroom - left
    unsafe (next.memory + first).copyMemory(from: memory + start, byteCount: left)
    unsafe leave(
      for: next.memory, capacity: ReadAhead.headroom + ReadAhead.bufferLength, block: next, ahead)
    start = first
    end = ReadAhead.headroom + next.count
  }

  /// Leaves the memory for another.
  private mutating func leave(
    for other: UnsafeMutableRawPointer, capacity: Int, block: ReadAhead.Block?, _ ahead: ReadAhead
  ) {
    if let old = self.block { ahead.recycle(old) } else { unsafe memory.deallocate() }
    unsafe memory = other
    self.capacity = capacity
    self.block = block
  }

  /// Moves the rest to the front, in a larger buffer if `count` octets do not fit.
  private mutating func makeRoom(for count: Int) {
    guard start + count > capacity else { return }
    if count > capacity {
      // It doubles, so that packets that grow one by one do not each cost a copy.
      let larger = max(count, 2 * capacity)
      let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      unsafe grown.copyMemory(from: memory + start, byteCount: available)
      unsafe memory.deallocate()
      unsafe memory = grown
      capacity = larger
    } else {
      unsafe memory.copyMemory(from: memory + start, byteCount: available)
    }
    end -= start
    start = 0
  }

  /// Moves the cursor past `count` available octets, and returns their range in the buffer.
  @inline(__always) @discardableResult
  mutating func pass(_ count: Int) -> Range<Int> {
    precondition(count >= 0 && count <= available)
    let range = start..<start + count
    start += count
    offset += count
    return range
  }

  /// Moves the cursor past `count` octets without holding them. Returns the number of existing octets; fewer only at the end.
  mutating func skip(_ count: Int) throws(CaptureError) -> Int {
    var skipped = 0
    while skipped < count {
      guard try fill(1) else { break }
      let step = min(count - skipped, available)
      pass(step)
      skipped += step
    }
    return skipped
  }

  /// The little-endian integer `position` octets after the cursor.
  @inline(__always)
  func load<Integer: FixedWidthInteger & BitwiseCopyable>(_ position: Int, as type: Integer.Type) -> Integer {
    precondition(position >= 0 && position + MemoryLayout<Integer>.size <= available)
    return unsafe Integer(littleEndian: memory.loadUnaligned(fromByteOffset: start + position, as: type))
  }

  /// A copy of octets; the range counts from the cursor.
  func copy(_ range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= available)
    return unsafe [UInt8](
      UnsafeRawBufferPointer(start: memory + start + range.lowerBound, count: range.count))
  }

  /// Lends octets; the range counts from the cursor.
  func withOctets<Result>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= available)
    return body(
      unsafe RawSpan(
        _unsafeStart: UnsafeRawPointer(memory + start + range.lowerBound), byteCount: range.count))
  }

  /// Replaces everything by `octets`, which a library that does its own reading owns.
  mutating func replace(with octets: UnsafeRawBufferPointer) -> Range<Int> {
    start = 0
    end = 0
    makeRoom(for: octets.count)
    if let first = octets.baseAddress { unsafe memory.copyMemory(from: first, byteCount: octets.count) }
    end = octets.count
    return pass(octets.count)
  }

  /// Lends octets to a packet, by their indices in the buffer. They must be withdrawn before the next `fill`.
  @inline(__always)
  func lend(_ range: Range<Int>, to lent: inout LentPacket) {
    precondition(range.lowerBound >= 0 && range.upperBound <= end)
    unsafe lent.octets = UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
  }

  /// Offset in the source of the octet at `index` in the buffer.
  @inline(__always)
  func sourceOffset(of index: Int) -> Int { offset - (start - index) }

  /// Lends all octets that the buffer still holds, also those before the cursor.
  func withRecentOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    let first = block == nil ? 0 : start
    return body(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(memory + first), byteCount: end - first))
  }

  /// Whether the header of a capture file begins at the cursor. At least 12 octets must be available.
  var beginsCapture: Bool {
    let version = load(4, as: UInt32.self)
    switch load(0, as: UInt32.self) {
    case 0xa1b2_c3d4, 0xa1b2_3c4d: return version == 0x0004_0002
    case 0xd4c3_b2a1, 0x4d3c_b2a1: return version == 0x0400_0200
    // A section header of pcapng, in either byte order.
    case 0x0a0d_0d0a:
      let magic = load(8, as: UInt32.self)
      return magic == 0x1a2b_3c4d || magic == 0x4d3c_2b1a
    default: return false
    }
  }

  /// An error at `position` octets from the cursor.
  func error(_ problem: CaptureError.Problem, at position: Int = 0) -> CaptureError {
    CaptureError(file: name, offset: offset + position, isDecompressedOffset: isDecompressed, problem: problem)
  }
}

/// The byte order of a file or of one of its sections.
enum ByteOrder {
  case little
  case big

  /// An integer in this order that was loaded as little-endian.
  @inline(__always)
  func callAsFunction<Integer: FixedWidthInteger>(_ value: Integer) -> Integer {
    self == .little ? value : value.byteSwapped
  }

  /// Two 16-bit integers, the first one first, that were loaded as one little-endian integer.
  @inline(__always)
  func halves(_ value: UInt32) -> (UInt16, UInt16) {
    (self(UInt16(truncatingIfNeeded: value)), self(UInt16(truncatingIfNeeded: value >> 16)))
  }

  /// Two 32-bit integers, the first one first, that were loaded as one little-endian integer.
  @inline(__always)
  func halves(_ value: UInt64) -> (UInt32, UInt32) {
    (self(UInt32(truncatingIfNeeded: value)), self(UInt32(truncatingIfNeeded: value >> 32)))
  }

  /// A 64-bit integer whose upper half comes first in either order, as in pcapng's times, loaded as little-endian.
  @inline(__always)
  func time(_ value: UInt64) -> UInt64 {
    let (high, low) = halves(value)
    return UInt64(high) << 32 | UInt64(low)
  }
}

/// The octets of a capture in their order, decompressed.
///
/// It is called once for each refill of a window, never once per packet, so that dynamic dispatch costs nothing.
protocol OctetSource: AnyObject {
  /// Puts up to `buffer.count` octets at the start of `buffer`, and waits until there is at least one. Returns their number; 0 is
  /// the end. Octets before a fault are returned before the fault is thrown.
  @unsafe func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int
}
