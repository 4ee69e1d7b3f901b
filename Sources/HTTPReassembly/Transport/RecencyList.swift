/// The ends of a list of connections, of which the one seen least recently is the first.
struct RecencyList {
  var first: Int32 = -1
  var last: Int32 = -1
  /// The first of those that are recent, and how many they are.
  var firstRecent: Int32 = -1
  var recentCount = 0
  /// How many should be recent at most.
  let recentLimit: Int

  init(recentLimit: Int) { self.recentLimit = recentLimit }

  /// Whether a connection is the last one, and recent, as the last ones are.
  @inline(__always)
  func isNewest(_ slot: Int) -> Bool { last == slot && recentCount > 0 }

  /// A connection has become the last one.
  mutating func append(_ slot: Int) {
    last = Int32(slot)
    if first < 0 { first = Int32(slot) }
    if firstRecent < 0 { firstRecent = Int32(slot) }
    recentCount += 1
  }

  /// A connection, which `next` comes after, is no longer among the recent ones.
  mutating func forgetRecent(_ slot: Int, next: Int32) {
    recentCount -= 1
    if firstRecent == slot { firstRecent = next }
  }

  /// A connection between two others has left the list.
  mutating func remove(_ slot: Int, previous: Int32, next: Int32, isRecent: Bool) {
    if isRecent { forgetRecent(slot, next: next) }
    if first == slot { first = next }
    if last == slot { last = previous }
  }
}
