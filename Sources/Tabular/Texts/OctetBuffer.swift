import Packets

/// Octets in memory of their own, which grows: what rows are made in, wait in, and are gathered in for a file.
///
/// Unsafe because a row is dozens of appends of a few octets: an array asks with each of them whether its memory is its own.
/// This memory always is, since the buffer cannot be copied. Only `count` of its `capacity` octets were written; `write` makes
/// room before, and checks after, that no more were than there was room for.
@safe package struct OctetBuffer: ~Copyable {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many octets there are.
  private(set) var count = 0

  /// An empty buffer with room for `capacity` octets.
  package init(capacity: Int) {
    self.capacity = max(capacity, 64)
    unsafe memory = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
  }

  deinit { unsafe memory.deallocate() }

  /// Whether there is none.
  package var isEmpty: Bool { count == 0 }

  /// Takes all octets away and keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Takes away those after the first `length`, of which there must be as many.
  @inline(__always)
  package mutating func shorten(to length: Int) {
    precondition(length >= 0 && length <= count)
    count = length
  }

  /// Appends one octet.
  @inline(__always)
  package mutating func append(_ octet: UInt8) {
    if capacity == count { grow(1) }
    unsafe memory[count] = octet
    count += 1
  }

  /// Appends octets.
  @inline(__always)
  package mutating func append(_ octets: RawSpan) {
    let length = octets.byteCount
    if capacity - count < length { grow(length) }
    unsafe octets.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(memory + count).copyMemory(from: start, byteCount: length)
    }
    count += length
  }

  /// Lets `body` write at most `length` octets at the end, and takes as many of them as it says.
  @inline(__always)
  package mutating func write(atMost length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if capacity - count < length { grow(length) }
    let written = unsafe body(memory + count)
    precondition(written >= 0 && written <= length)
    count += written
  }

  /// Lends the octets.
  @inline(__always)
  package func withOctets<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
  {
    let octets = unsafe UnsafeRawBufferPointer(start: memory, count: count)
    return try body(unsafe octets.bytes)
  }

  @inline(never)
  private mutating func grow(_ length: Int) {
    let larger = max(capacity * 2, count + length)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe moved.update(from: memory, count: count)
    unsafe memory.deallocate()
    unsafe memory = moved
    capacity = larger
  }
}
