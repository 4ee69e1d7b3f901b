import Packets

/// What the numbers of a part mean in the analysis that it becomes a part of, and what its rows wait for.
struct PartNumbers {
  /// The number of each message of the part here, by its number there, less one.
  private(set) var messages: [Int32] = []
  private(set) var exchanges: [Int32] = []
  private(set) var connections: [Int32] = []
  /// The number here of each field name of the part, whose numbers there begin with 1; 0 has none.
  var fieldNames: [UInt16] = [FieldNames.none]
  /// How long the lookups of connections took, by their numbers in the part.
  var lookups: [Int: Int64] = [:]
  /// Connections of the part that have the endpoints of one before.
  var reused: Set<Int> = []

  /// The next numbers of the part are the next ones here.
  mutating func take(messages new: Range<Int>, exchanges: Range<Int>, connections: Range<Int>) {
    messages += new.map { Int32(truncatingIfNeeded: $0) }
    self.exchanges += exchanges.map { Int32(truncatingIfNeeded: $0) }
    self.connections += connections.map { Int32(truncatingIfNeeded: $0) }
  }

  /// The number here of what has `number` in the part; 0 stands for none.
  static func translate(_ number: inout Int, by numbers: [Int32]) throws(PartFault) {
    guard number != 0 else { return }
    guard numbers.indices.contains(number - 1) else { throw .damaged }
    number = Int(numbers[number - 1])
  }

  static func translate(_ number: inout Int?, by numbers: [Int32]) throws(PartFault) {
    guard var known = number else { return }
    try translate(&known, by: numbers)
    number = known
  }

  func translate(_ message: inout Message) throws(PartFault) {
    try Self.translate(&message.number, by: messages)
    try Self.translate(&message.exchange, by: exchanges)
    try Self.translate(&message.connection, by: connections)
  }

  func translate(_ exchange: inout Exchange) throws(PartFault) {
    try Self.translate(&exchange.number, by: exchanges)
    try Self.translate(&exchange.connection, by: connections)
    try Self.translate(&exchange.request, by: messages)
    try Self.translate(&exchange.response, by: messages)
  }
}
