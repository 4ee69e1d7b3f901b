import Testing

@testable import HTTPReassembly

/// The queue is what an array is, whatever is done to it.
@Suite struct NewestQueueTests {
  @Test func isAnArrayThatIsCutAtItsStart() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var queue = NewestQueue(placeholder: -1)
      var array: [Int] = []
      for step in 0..<300 {
        switch Int.random(in: 0..<(step < 150 ? 5 : 4), using: &random) {
        case 0 where !array.isEmpty, 1 where !array.isEmpty:
          #expect(queue.look(0) { $0 } == array.removeFirst())
          queue.removeFirst()
        case 2 where !array.isEmpty:
          let place = array.indices.randomElement(using: &random) ?? 0
          queue.change(place) { $0 += 1000 }
          array[place] += 1000
        case 3 where !array.isEmpty:
          queue.newest += 1
          array[array.count - 1] += 1
        default:
          queue.append { $0 = step }
          array.append(step)
        }
        #expect(queue.isEmpty == array.isEmpty && queue.count == array.count)
        #expect(array.indices.allSatisfy { queue[$0] == array[$0] })
        #expect(array.isEmpty || queue.newest == array.last)
      }
    }
  }

  @Test func givesItsRoomBack() {
    var queue = NewestQueue(placeholder: 0)
    for number in 0..<1000 { queue.append { $0 = number } }
    #expect(queue.room >= 999)
    for _ in 0..<990 { queue.removeFirst() }
    #expect(queue.count == 10 && queue.room < 40)
    while !queue.isEmpty { queue.removeFirst() }
    #expect(queue.room < 2)
  }
}
