import HTTPReassembly

/// The octets of a short content that is kept until it is whole.
struct HeldContent {
  /// The most octets kept: less than zlib holds for a content that it decodes as it comes.
  static let limit = 32 << 10
  /// Room for the first octets.
  private static let firstRoom = 2 << 10

  private(set) var octets: [UInt8] = []
  private var room = 0
  private let memory: WindowMemory

  /// Creates an empty content. Its octets are counted in `memory`.
  init(memory: WindowMemory) { self.memory = memory }

  /// Takes more octets; false if that is too many, and then none are taken.
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

  /// Forgets the octets. Their memory, at most `limit` octets, is reused by the next content and not counted until then.
  mutating func forget() {
    memory.release(room)
    room = 0
    octets.removeAll(keepingCapacity: true)
  }

  /// Returns the octets with their memory.
  mutating func giveAway() -> [UInt8] {
    memory.release(room)
    room = 0
    defer { octets = [] }
    return octets
  }
}
