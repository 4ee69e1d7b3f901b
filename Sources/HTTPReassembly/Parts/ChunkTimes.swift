/// The times of the packets of a chunk, of all shards.
package struct ChunkTimes: Sendable {
  /// The number of the first packet among all.
  var first = 0
  /// Capture time of each packet.
  var times: [Int64] = []
  /// The latest capture time up to each packet.
  var clocks: [Int64] = []
  /// Capture time of the packet before the first one; the first one's where there is none.
  var timeBefore = Int64.min
  /// The latest capture time before the first packet.
  var clockBefore = Int64.min

  var count: Int { times.count }

  /// The latest capture time before the packet at an offset.
  @inline(__always)
  func clock(before offset: Int) -> Int64 { offset == 0 ? clockBefore : clocks[offset - 1] }

  /// Capture time of the packet before the one at an offset.
  func time(before offset: Int) -> Int64 { offset == 0 ? timeBefore : times[offset - 1] }

  /// The offset of the first packet, of those from an offset on, with which it shows that it is later than `deadline`: one that is later than
  /// all packets before.
  func offset(ofFirstAfter deadline: Int64, from start: Int) -> Int {
    var (low, high) = (start, clocks.count)
    while low < high {
      let middle = (low + high) / 2
      if clocks[middle] > deadline { high = middle } else { low = middle + 1 }
    }
    while low < clocks.count, clocks[low] == clock(before: low) { low += 1 }
    return low
  }
}
