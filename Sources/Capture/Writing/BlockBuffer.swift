import Packets

/// pcapng blocks that wait to be written, in little-endian order. Unsafe sites: integers stored into the octets of an array, and
/// memory lent to `write(2)`.
struct BlockBuffer: ~Copyable {
  /// The storage; the first `count` octets are in use. Filling it costs less than appending to it.
  private var octets: [UInt8]
  /// Octets in use.
  private(set) var count = 0
  /// The start of the block in progress.
  private var blockStart = 0

  init(capacity: Int) {
    octets = [UInt8](repeating: 0, count: capacity)
  }

  /// Whether there is room for a block of `length` octets.
  @inline(__always)
  func hasRoom(for length: Int) -> Bool { count + length <= octets.count }

  /// Makes room for a block of `length` octets, in an empty buffer.
  mutating func grow(to length: Int) {
    if length > octets.count { octets = [UInt8](repeating: 0, count: length) }
  }

  /// Forgets all blocks.
  mutating func removeAll() { count = 0 }

  // MARK: Building blocks, which need room

  /// Starts a block of a known length, its header and trailer included.
  @inline(__always)
  mutating func startBlock(_ type: UInt32, length: Int) {
    blockStart = count
    append(type)
    append(UInt32(length))
  }

  /// Ends a block.
  @inline(__always)
  mutating func endBlock() {
    let length = count + 4 - blockStart
    append(UInt32(length))
  }

  /// Appends an integer.
  @inline(__always)
  mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) {
    let offset = count
    var span = octets.mutableSpan
    // Unsafe for types with octets that are not values; all octets of `UInt8` are. The store checks its bounds.
    var bytes = unsafe span.mutableBytes
    bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    count = offset + MemoryLayout<Integer>.size
  }

  /// Appends a 64-bit time, with its halves in pcapng's order.
  @inline(__always)
  mutating func append(time: UInt64) {
    append(UInt32(time >> 32))
    append(UInt32(truncatingIfNeeded: time))
  }

  /// Appends octets, and zeros up to a multiple of 4.
  @inline(__always)
  mutating func append(padded source: RawSpan) {
    source.copy(0..<source.byteCount, to: &octets, at: count)
    count += source.byteCount
    while count & 3 != 0 { append(0 as UInt8) }
  }

  /// Appends an option.
  mutating func append(option code: UInt16, _ value: [UInt8]) {
    append(code)
    append(UInt16(value.count))
    value.withOctets { append(padded: $0) }
  }

  /// Appends the mark after the last option.
  mutating func appendEndOfOptions() { append(0 as UInt32) }

  // MARK: Result

  /// The end of the last whole block within `length` octets.
  func boundary(notAfter length: Int) -> Int {
    var boundary = 0
    while boundary < count {
      let next = boundary + Int(load(boundary + 4))
      if next > length { break }
      boundary = next
    }
    return boundary
  }

  private func load(_ position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(octets[position + $1]) << UInt32(8 * $1) }
  }

  /// Lends the blocks.
  borrowing func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe octets.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
}
