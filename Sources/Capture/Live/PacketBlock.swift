import Packets

/// A block of memory for copies of packets, one after the other, each after a header of its own.
///
/// Only one thread at a time has it: the capture thread that fills it, or the reader. The queue's lock is taken to hand it over.
/// Unsafe sites: the memory, which this type owns; each access is checked against the filled part.
@safe final class PacketBlock: @unchecked Sendable {
  /// Offsets of the header's fields, in octets: the time (8), and the original and the captured length (4 each).
  private enum Header {
    static let timestamp = 0
    static let originalLength = 8
    static let capturedLength = 12
    static let length = 16
  }

  /// Octets that a packet takes, with its header and padding.
  @inline(__always)
  static func length(captured: Int) -> Int {
    // The padding aligns the next header.
    Header.length + (captured + 7) & ~7
  }

  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  /// Filled octets.
  private(set) var count = 0
  /// The number of packets.
  private(set) var packets = 0
  /// The time when it was first handed over since it was empty; nil before.
  var handedOver: ContinuousClock.Instant?
  /// The time when it was last handed over: all of its packets are older. Nil before.
  var completed: ContinuousClock.Instant?

  init(capacity: Int) {
    self.capacity = capacity
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Free octets.
  @inline(__always)
  var room: Int { capacity - count }

  /// Forgets all packets.
  func empty() {
    count = 0
    packets = 0
    handedOver = nil
    completed = nil
  }

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
    packets &+= 1
    return true
  }

  /// Lends the filled part, to be copied.
  func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Replaces the content by such a copy: `body` puts its `count` octets, of `packets` packets, into memory. If that fails, the
  /// block is empty.
  func refill<Failure: Error>(
    count: Int, packets: Int, handedOver: ContinuousClock.Instant, completed: ContinuousClock.Instant,
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count > 0 && count <= capacity)
    empty()
    try unsafe body(UnsafeMutableRawBufferPointer(start: memory, count: count))
    self.count = count
    self.packets = packets
    self.handedOver = handedOver
    self.completed = completed
  }

  /// The number of packets from `offset` on.
  func packets(from offset: Int) -> Int {
    var (offset, packets) = (offset, 0)
    while offset < count {
      precondition(offset + Header.length <= count)
      let captured = unsafe memory.load(fromByteOffset: offset + Header.capturedLength, as: UInt32.self)
      offset += Self.length(captured: Int(captured))
      packets += 1
    }
    return packets
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
