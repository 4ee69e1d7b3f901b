/// The numbers of rows in reports, and how many there are.
struct RowNumbers {
  private(set) var messages = 0
  private(set) var exchanges = 0
  private(set) var connections = 0
  /// The number of messages that began before the octets being read.
  private var messagesBeforePacket = 0

  /// The messages that began with the octets being read, without the newest one.
  @inline(__always)
  var olderOfPacket: Int { max(messages &- messagesBeforePacket &- 1, 0) }

  /// Notes that the octets of another packet are read.
  @inline(__always)
  mutating func beginPacket() { messagesBeforePacket = messages }

  @inline(__always)
  mutating func nextMessage() -> Int {
    messages += 1
    return messages
  }

  @inline(__always)
  mutating func nextExchange() -> Int {
    exchanges += 1
    return exchanges
  }

  mutating func nextConnection() -> Int {
    connections += 1
    return connections
  }

  /// Reserves numbers for rows that are made elsewhere.
  mutating func take(
    messages: Int, exchanges: Int, connections: Int
  ) -> (messages: Range<Int>, exchanges: Range<Int>, connections: Range<Int>) {
    defer {
      self.messages += messages
      self.exchanges += exchanges
      self.connections += connections
    }
    return (
      self.messages + 1..<self.messages + messages + 1, self.exchanges + 1..<self.exchanges + exchanges + 1,
      self.connections + 1..<self.connections + connections + 1
    )
  }
}
