import Packets

/// The numbers of a part, translated to the analysis that takes the part, and facts that its rows need.
struct PartNumbers {
  /// The number here of each message, by its number in the part minus one.
  private(set) var messages: [Int32] = []
  private(set) var exchanges: [Int32] = []
  private(set) var connections: [Int32] = []
  /// The number here of each field name. In the part, numbers begin with 1; 0 means none.
  var fieldNames: [UInt16] = [FieldNames.none]
  /// Durations of the lookups for connections, by their numbers in the part.
  var lookups: [Int: Int64] = [:]
  /// Connections of the part with the endpoints of an earlier connection.
  var reused: Set<Int> = []

  /// Adds the next numbers of the part, with their numbers here.
  mutating func take(messages new: Range<Int>, exchanges: Range<Int>, connections: Range<Int>) {
    messages += new.map { Int32(truncatingIfNeeded: $0) }
    self.exchanges += exchanges.map { Int32(truncatingIfNeeded: $0) }
    self.connections += connections.map { Int32(truncatingIfNeeded: $0) }
  }

  /// Translates a number of the part to the number here; 0 means none.
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
