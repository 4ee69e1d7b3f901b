import HTTPReassembly

/// The octets of a content that is kept until it is whole, as long as it is short.
struct HeldContent {
  /// Octets kept at most: less than zlib holds for a content that it decodes as it comes.
  static let limit = 32 << 10
  /// Octets that the first ones make room for.
  private static let firstRoom = 2 << 10

  private(set) var octets: [UInt8] = []
  private var room = 0
  private let memory: WindowMemory

  /// Counts what it holds in `memory`.
  init(memory: WindowMemory) { self.memory = memory }

  /// Takes more octets; false, and nothing is taken, when that is more than is kept.
  mutating func take(_ more: RawSpan) -> Bool {
    let length = octets.count + more.byteCount
    guard length <= Self.limit, length <= room || makeRoom(length) else { return false }
    more.append(0..<more.byteCount, to: &octets)
    return true
  }

  private mutating func makeRoom(_ length: Int) -> Bool {
    var wanted = max(room, Self.firstRoom)
    while wanted < length { wanted *= 2 }
    guard memory.reserve(wanted - room) else { return false }
    octets.reserveCapacity(wanted)
    room = wanted
    return true
  }

  /// Forgets the octets. Their memory, of `limit` octets at most, is that of the next content, and not counted until then.
  mutating func forget() {
    memory.release(room)
    room = 0
    octets.removeAll(keepingCapacity: true)
  }

  /// Gives the octets away, with their memory.
  mutating func giveAway() -> [UInt8] {
    memory.release(room)
    room = 0
    defer { octets = [] }
    return octets
  }
}
