import Packets

/// Octets in growing memory of their own. Rows are made in it, wait in it, and are gathered in it for a file.
///
/// Unsafe: a row is dozens of appends of a few octets, and an array checks at each whether its memory is its own. This memory always is,
/// since the buffer cannot be copied. Only `count` of its `capacity` octets are initialized. `write` makes room before, and checks after,
/// that the room was enough.
@safe public struct OctetBuffer: ~Copyable {
  @usableFromInline var memory: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// The number of octets.
  @usableFromInline package var count: Int { length }
  @usableFromInline var length = 0

  /// Creates an empty buffer with room for `capacity` octets.
  package init(capacity: Int) {
    self.capacity = max(capacity, 64)
    unsafe memory = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
  }

  deinit { unsafe memory.deallocate() }

  /// Whether the buffer is empty.
  package var isEmpty: Bool { length == 0 }

  /// Removes all octets and keeps the memory.
  @inlinable
  package mutating func removeAll() { length = 0 }

  /// Removes the octets after the first `count`; there must be at least as many.
  @inlinable
  @inline(__always)
  package mutating func shorten(to count: Int) {
    precondition(count >= 0 && count <= length)
    length = count
  }

  /// Appends one octet.
  @inlinable
  @inline(__always)
  package mutating func append(_ octet: UInt8) {
    if capacity == length { grow(1) }
    unsafe memory[length] = octet
    length += 1
  }

  /// Appends octets.
  @inlinable
  @inline(__always)
  package mutating func append(_ octets: RawSpan) {
    let added = octets.byteCount
    if capacity - length < added { grow(added) }
    unsafe octets.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(memory + length).copyMemory(from: start, byteCount: added)
    }
    length += added
  }

  /// The length of a piece, in octets.
  @inlinable package static var pieceLength: Int { 48 }

  /// Appends the first octets of a piece. All of it is copied, as that needs no call.
  @inlinable
  @inline(__always)
  package mutating func append(_ count: Int, ofPiece piece: RawSpan) {
    precondition(count >= 0 && count <= Self.pieceLength && piece.byteCount == Self.pieceLength)
    if capacity - length < Self.pieceLength { grow(Self.pieceLength) }
    unsafe piece.withUnsafeBytes { source in
      unsafe UnsafeMutableRawPointer(memory + length).copyMemory(
        from: source.baseAddress.unsafelyUnwrapped, byteCount: Self.pieceLength)
    }
    length += count
  }

  /// Lets `body` write at most `room` octets at the end, and keeps the number of octets that it returns.
  @inlinable
  @inline(__always)
  package mutating func write(atMost room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if capacity - length < room { grow(room) }
    let written = unsafe body(memory + length)
    precondition(written >= 0 && written <= room)
    length += written
  }

  /// Lends the octets.
  @inlinable
  @inline(__always)
  package func withOctets<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let octets = unsafe UnsafeRawBufferPointer(start: memory, count: length)
    return try body(unsafe octets.bytes)
  }

  @inline(never)
  @usableFromInline
  mutating func grow(_ added: Int) {
    let larger = max(capacity * 2, length + added)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe moved.update(from: memory, count: length)
    unsafe memory.deallocate()
    unsafe memory = moved
    capacity = larger
  }
}
