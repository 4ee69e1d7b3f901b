import TestSupport
import Testing

@testable import HTTPReassembly

/// Charges find the messages that own octets, whatever the order.
@Suite struct OwnersTests {
  /// Owners as HTTP/1 keeps them: messages with unowned octets between them, the oldest ones removed.
  @Test func messagesWithOctetsBetweenThem() {
    var random = SeededRandom(seed: 13)
    for _ in 0..<RandomCases.count(200) {
      var rows = RowStore()
      var owners = Owners()
      // Position by position, the row that owns it.
      var model: [Int?] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        model += Array(repeating: nil, count: Int.random(in: 0...2, using: &random))
        let row = RowIndex(rows.messages.insert(OpenMessage()))
        owners.append(MessageReference(row: row, number: 0), from: model.count)
        model += Array(repeating: Int(row), count: Int.random(in: 1...9, using: &random))
        owners.endNewest(at: model.count)
        if Int.random(in: 0..<6, using: &random) == 0 {
          let gone = Int(owners[0].row)
          owners.removeFirst()
          model = model.map { $0 == gone ? nil : $0 }
        }
      }
      for _ in 0..<30 {
        let position = Int.random(in: 0..<model.count, using: &random)
        check(owners, &rows, model, from: position, open: { _ in true }, &random)
      }
    }
  }

  /// Owners as HTTP/2 and HTTP/3 keep them: stretches without interruption, the oldest ones forgotten, some of messages that are final.
  @Test func stretchesInARow() {
    var random = SeededRandom(seed: 14)
    for _ in 0..<RandomCases.count(200) {
      var rows = RowStore()
      let messages = (0..<4).map { _ in rows.messages.insert(OpenMessage()) }
      rows.finishMessage(RowIndex(messages[3]))
      var owners = Owners()
      owners.begin(at: 0)
      let limit = Int.random(in: 1...12, using: &random)
      var model: [Int?] = []
      var starts: [Int] = []
      var last: Int?? = .none
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let row = Int.random(in: 0..<5, using: &random)
        let owner = row == 4 ? nil : messages[row]
        if last != .some(owner) { starts.append(model.count) }
        last = .some(owner)
        model += Array(repeating: owner, count: Int.random(in: 1...9, using: &random))
        let reference = owner.map { MessageReference(row: RowIndex($0), number: 0) } ?? .none
        owners.extend(to: model.count, reference, limit: limit)
      }
      let start = starts.suffix(limit)[starts.suffix(limit).startIndex]
      #expect(owners.start == start && owners.count == min(starts.count, limit))
      for index in 0..<start { model[index] = nil }
      for index in model.indices {
        #expect(owners.owner(of: index).isNone ? model[index] == nil : Int(owners.owner(of: index).row) == model[index])
      }
      for _ in 0..<30 {
        let position = Int.random(in: 0..<model.count, using: &random)
        check(owners, &rows, model, from: position, open: { $0 != messages[3] }, &random)
      }
    }
  }

  /// Holds a charge from a position on against the model. A message that is not open takes nothing, but its octets have an owner.
  private func check(
    _ owners: Owners, _ rows: inout RowStore, _ model: [Int?], from position: Int, open isOpen: (Int) -> Bool,
    _ random: inout SeededRandom
  ) {
    let repeated = Int.random(in: 0...(model.count - position), using: &random)
    let length = Int.random(in: 1...(model.count - position), using: &random)
    var expected = sums(rows)
    var outside = 0
    let deciding = position < owners.start ? [] : model[position..<position + max(repeated, length)]
    if let owner = deciding.compactMap(\.self).first, isOpen(owner) {
      expected[owner, default: [0, 0]][0] += 40
    } else {
      outside += 40
    }
    for index in position..<position + repeated {
      if let owner = model[index], isOpen(owner) { expected[owner, default: [0, 0]][1] += 1 } else { outside += 1 }
    }
    let charge = Charge(position: position, retransmitted: repeated, overhead: 40, length: length)
    let unowned = owners.chargeParts(charge, &rows)
    #expect(sums(rows) == expected)
    #expect(unowned == outside)
  }

  /// Overhead and retransmitted octets of each row.
  private func sums(_ rows: RowStore) -> [Int: [Int]] {
    Dictionary(
      uniqueKeysWithValues: rows.messages.indices.map { slot in
        (slot, rows.messages.look(slot) { [$0.message.overhead, $0.message.retransmitted] })
      })
  }
}
