import Packets

/// A block of memory that packets are copied into, one behind the other, each behind a header of its own.
///
/// Only one thread at a time has it: the capture thread that fills it, or the reader; the queue's lock is taken to hand
/// it over. Unsafe sites: the memory, which this type owns; each access is checked against what has been filled.
@safe final class PacketBlock: @unchecked Sendable {
  /// Where the fields of the header are, in octets: the time (8), and the original and the captured length (4 each).
  private enum Header {
    static let timestamp = 0
    static let originalLength = 8
    static let capturedLength = 12
    static let length = 16
  }

  /// Octets that a packet takes up, its header and padding included.
  @inline(__always)
  static func length(captured: Int) -> Int {
    // The next header is aligned.
    Header.length + (captured + 7) & ~7
  }

  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  /// Octets that are filled.
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Octets that are free.
  @inline(__always)
  var room: Int { capacity - count }

  /// Forgets all packets.
  func empty() { count = 0 }

  /// Copies a packet to the end; false if there is no room for it.
  @inline(__always)
  func append(timestamp: Int64, originalLength: UInt32, octets: UnsafeRawBufferPointer) -> Bool {
    let length = Self.length(captured: octets.count)
    guard length <= room else { return false }
    let start = unsafe memory + count
    unsafe start.storeBytes(of: timestamp, toByteOffset: Header.timestamp, as: Int64.self)
    unsafe start.storeBytes(of: originalLength, toByteOffset: Header.originalLength, as: UInt32.self)
    unsafe start.storeBytes(
      of: UInt32(truncatingIfNeeded: octets.count), toByteOffset: Header.capturedLength, as: UInt32.self)
    if let first = octets.baseAddress {
      unsafe (start + Header.length).copyMemory(from: first, byteCount: octets.count)
    }
    count += length
    return true
  }

  /// Capture time of the packet at `offset`.
  @inline(__always)
  func timestamp(at offset: Int) -> Int64 {
    precondition(offset >= 0 && offset + Header.length <= count)
    return unsafe memory.load(fromByteOffset: offset + Header.timestamp, as: Int64.self)
  }

  /// Lends the packet at `offset`, and returns the offset of the next. It must be withdrawn before the block is emptied.
  @inline(__always)
  func lend(at offset: Int, linkType: LinkType, to lent: inout LentPacket) -> Int {
    lent.packet.timestamp = timestamp(at: offset)
    lent.packet.originalLength = unsafe Int(
      memory.load(fromByteOffset: offset + Header.originalLength, as: UInt32.self))
    lent.packet.linkType = linkType
    let captured = unsafe Int(memory.load(fromByteOffset: offset + Header.capturedLength, as: UInt32.self))
    let next = offset + Self.length(captured: captured)
    precondition(next <= count)
    unsafe lent.octets = UnsafeRawBufferPointer(start: memory + offset + Header.length, count: captured)
    return next
  }
}
