// The only file of the core that loads octets from memory. `RawSpan` itself checks the bounds of every load, and loads need no alignment.
// The standard library marks loads as unsafe because any type could be loaded. Here it is only fixed-width integers, which have no invalid
// bit patterns.

extension RawSpan {
  /// The octet at `offset`.
  @inlinable
  @inline(__always)
  package func octet(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The unsigned 16-bit integer in network byte order at `offset`.
  @inlinable
  @inline(__always)
  package func bigEndian16(_ offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The unsigned 32-bit integer in network byte order at `offset`.
  @inlinable
  @inline(__always)
  package func bigEndian32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The unsigned 64-bit integer in network byte order at `offset`.
  @inlinable
  @inline(__always)
  package func bigEndian64(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The unsigned 16-bit integer in little-endian order at `offset`.
  @inlinable
  @inline(__always)
  package func littleEndian16(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The unsigned 32-bit integer in little-endian order at `offset`.
  @inlinable
  @inline(__always)
  package func littleEndian32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The unsigned 64-bit integer in little-endian order at `offset`.
  @inlinable
  @inline(__always)
  package func littleEndian64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The integer at `offset`, which must not reach beyond the end. The caller has checked its last offset, in a loop or a header of fixed
  /// length. Checking it again for each eight octets took a quarter of the time of finding line ends.
  @inlinable
  @inline(__always)
  package func integer<Integer: FixedWidthInteger & BitwiseCopyable>(within offset: Int) -> Integer {
    assert(offset >= 0 && offset + MemoryLayout<Integer>.size <= byteCount)
    return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Integer.self)
  }

  /// The octet at `offset`, checked by the caller.
  @inlinable
  @inline(__always)
  package func octet(within offset: Int) -> UInt8 { integer(within: offset) }

  /// The unsigned 16-bit integer in network byte order at `offset`, checked by the caller.
  @inlinable
  @inline(__always)
  package func bigEndian16(within offset: Int) -> UInt16 { UInt16(bigEndian: integer(within: offset)) }

  /// The unsigned 32-bit integer in network byte order at `offset`, checked by the caller.
  @inlinable
  @inline(__always)
  package func bigEndian32(within offset: Int) -> UInt32 { UInt32(bigEndian: integer(within: offset)) }

  /// The unsigned 64-bit integer in little-endian order at `offset`, checked by the caller.
  @inlinable
  @inline(__always)
  package func littleEndian64(within offset: Int) -> UInt64 { UInt64(littleEndian: integer(within: offset)) }

  /// The octets from `offset` to the end, fewer than eight, as the low octets of a number in little-endian order. The caller has checked
  /// their number.
  @inlinable
  @inline(__always)
  package func littleEndian(from offset: Int) -> UInt64 {
    let count = byteCount &- offset
    assert(count >= 0 && count < 8)
    if count >= 4 {
      // Both halves have four octets and may overlap.
      let low: UInt32 = integer(within: offset)
      let high: UInt32 = integer(within: byteCount &- 4)
      let shift = UInt64(truncatingIfNeeded: count &- 4) &* 8
      return UInt64(UInt32(littleEndian: low)) | (UInt64(UInt32(littleEndian: high)) &<< shift)
    }
    guard count > 0 else { return 0 }
    let middle = count / 2
    let low = UInt64(octet(within: offset)) | (UInt64(octet(within: offset &+ middle)) &<< (UInt64(middle) &* 8))
    return low | (UInt64(octet(within: byteCount &- 1)) &<< (UInt64(count &- 1) &* 8))
  }

  /// The offset of the first `octet` in `range`, or nil.
  @inlinable
  @inline(__always)
  package func firstOffset(of octet: UInt8, in range: Range<Int>) -> Int? {
    firstOffset(in: range) { $0.matches(octet) }
  }

  /// The offset of the first octet in `range` that `matches` accepts, or nil. `matches` marks octets of eight by their high bits; only its
  /// lowest mark has to be right.
  @inlinable
  @inline(__always)
  package func firstOffset(in range: Range<Int>, _ matches: (UInt64) -> UInt64) -> Int? {
    var offset = range.lowerBound
    precondition(offset >= 0 && range.upperBound <= byteCount)
    while offset <= range.upperBound - 8 {
      let found = matches(littleEndian64(within: offset))
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    while offset < range.upperBound {
      if matches(UInt64(octet(within: offset))) & 0x80 != 0 { return offset }
      offset &+= 1
    }
    return nil
  }

  /// Copies the octets in `range` to the end of `array`.
  @inlinable
  @inline(__always)
  package func append(_ range: Range<Int>, to array: inout [UInt8]) {
    unsafe extracting(range).withUnsafeBytes { unsafe array.append(contentsOf: $0) }
  }

  /// Copies the octets in `range` over the octets of `array` from `offset` on.
  @inlinable
  @inline(__always)
  package func copy(_ range: Range<Int>, to array: inout [UInt8], at offset: Int) {
    guard !range.isEmpty else { return }
    precondition(offset >= 0 && offset + range.count <= array.count)
    unsafe extracting(range).withUnsafeBytes { source in
      unsafe array.withUnsafeMutableBytes { target in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
      }
    }
  }

  /// Whether both spans hold the same octets.
  @inlinable
  @inline(__always)
  package func hasSameOctets(as other: RawSpan) -> Bool {
    byteCount == other.byteCount && hasSameOctets(at: 0, as: other, at: 0, count: byteCount)
  }

  /// Whether the `count` octets at `offset` equal those of `other` at `otherOffset`.
  @inlinable
  @inline(__always)
  package func hasSameOctets(at offset: Int, as other: RawSpan, at otherOffset: Int, count: Int) -> Bool {
    precondition(offset >= 0 && offset + count <= byteCount)
    precondition(otherOffset >= 0 && otherOffset + count <= other.byteCount)
    guard count >= 8 else {
      for index in 0..<count where octet(offset + index) != other.octet(otherOffset + index) { return false }
      return true
    }
    /// The bits in which eight octets differ.
    func difference(_ index: Int) -> UInt64 {
      littleEndian64(within: offset &+ index) ^ other.littleEndian64(within: otherOffset &+ index)
    }
    var index = 0
    while index &+ 32 <= count {
      let first = difference(index) | difference(index &+ 8)
      if first | difference(index &+ 16) | difference(index &+ 24) != 0 { return false }
      index &+= 32
    }
    if index == count { return true }
    // The octets that are left, in words that may overlap octets compared before.
    var rest = difference(count &- 8)
    if count &- index > 8 { rest |= difference(index) }
    if count &- index > 16 { rest |= difference(index &+ 8) | difference(count &- 16) }
    return rest == 0
  }

  /// How many octets from `offset` on equal those of `other` from `otherOffset` on, at most `count`.
  @inlinable
  @inline(__always)
  package func commonLength(at offset: Int, with other: RawSpan, at otherOffset: Int, atMost count: Int) -> Int {
    precondition(offset >= 0 && offset + count <= byteCount)
    precondition(otherOffset >= 0 && otherOffset + count <= other.byteCount)
    /// The bits in which eight octets differ.
    func difference(_ index: Int) -> UInt64 {
      littleEndian64(within: offset &+ index) ^ other.littleEndian64(within: otherOffset &+ index)
    }
    var index = 0
    while index &+ 32 <= count {
      let first = difference(index) | difference(index &+ 8)
      if first | difference(index &+ 16) | difference(index &+ 24) != 0 { break }
      index &+= 32
    }
    while index &+ 8 <= count {
      let bits = difference(index)
      if bits != 0 { return index &+ bits.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < count, octet(within: offset &+ index) == other.octet(within: otherOffset &+ index) { index &+= 1 }
    return index
  }

  /// Whether `array` holds the same octets.
  @inlinable
  @inline(__always)
  package func hasSameOctets(as array: [UInt8]) -> Bool {
    array.withOctets { hasSameOctets(as: $0) }
  }

  /// Feeds the octets to a hasher.
  package func hash(into hasher: inout Hasher) {
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

extension Array where Element == UInt8 {
  /// Lends the array's octets. `Span.bytes` is marked unsafe because padding could be read; octets have no padding.
  ///
  /// The lifetime is extended, because otherwise the compiler may lend the octets of a variable's array without keeping it (Swift 6.3.1).
  /// If `body` then changed the variable, they would be gone.
  @inlinable
  @inline(__always)
  package func withOctets<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
  {
    defer { extendLifetime(self) }
    let octets = span
    return try body(unsafe octets.bytes)
  }
}

extension InlineArray where Element == UInt8 {
  /// Lends the octets.
  @inlinable
  @inline(__always)
  package func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    let octets = span
    return body(unsafe octets.bytes)
  }
}

extension StaticString {
  /// The octet at `index` of the text's UTF-8, which is in the program's read-only data.
  @inlinable
  @inline(__always)
  package func octet(_ index: Int) -> UInt8 {
    precondition(index >= 0 && index < utf8CodeUnitCount)
    return unsafe utf8Start[index]
  }

  /// The eight octets from `index` on, the first one lowest.
  @inlinable
  @inline(__always)
  package func littleEndian64(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index + 8 <= utf8CodeUnitCount)
    return UInt64(littleEndian: unsafe UnsafeRawPointer(utf8Start + index).loadUnaligned(as: UInt64.self))
  }
}

extension UInt64 {
  /// Marks octets equal to `octet` with their high bit; only the lowest mark is reliable.
  @inlinable
  @inline(__always)
  package func matches(_ octet: UInt8) -> UInt64 {
    // An octet is equal if the exclusive or is zero.
    let difference = self ^ 0x0101_0101_0101_0101 &* UInt64(octet)
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }
}
