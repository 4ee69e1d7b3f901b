import Packets

/// The slots of a connection's streams, by their numbers on the wire.
///
/// Peers choose these numbers, so their hash has a random key. It takes two multiplications, where the standard library's takes a hundred
/// instructions, and each new stream asks for several.
struct StreamSlots {
  private var index = HashIndex(buckets: 8)

  /// The number of streams.
  var count: Int { index.count }
  /// Octets of memory on the heap.
  var memory: Int { index.memory }

  /// The slot of a stream; nil for an unknown one. `number` gives the number of the stream in a slot.
  @inline(__always)
  func slot(of id: UInt64, _ number: (Int) -> UInt64) -> Int? {
    index.place(Self.hash(id), where: { number($0) == id })
  }

  /// Adds a stream that has no slot.
  mutating func insert(_ id: UInt64, at slot: Int) { index.insert(slot, Self.hash(id)) }

  /// Removes the stream in a slot.
  mutating func remove(_ id: UInt64, from slot: Int) { index.remove(slot, Self.hash(id)) }

  @inline(__always)
  private static func hash(_ id: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: OctetMark.mix(id, 0)) }
}
