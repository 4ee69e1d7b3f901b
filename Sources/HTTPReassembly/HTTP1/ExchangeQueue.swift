/// The exchanges of one connection that are not final, oldest first, numbered in the order in which they started.
struct ExchangeQueue {
  private var queue = NewestQueue(placeholder: OpenExchange())
  /// Number of the oldest exchange.
  private(set) var first = 0

  /// How many there are.
  var count: Int { queue.count }

  /// Exchanges beside the newest that there is room for in memory.
  var room: Int { queue.room }

  /// Number after that of the newest exchange: the next one's.
  var end: Int { first + queue.count }

  /// Adds an exchange, the newest from now on, that `make` makes of a new one.
  @inline(__always)
  mutating func append(_ make: (inout OpenExchange) -> Void) {
    queue.append { exchange in
      exchange = OpenExchange()
      make(&exchange)
    }
  }

  /// Takes the oldest exchange away, which there must be.
  mutating func removeFirst() {
    queue.removeFirst()
    first += 1
  }

  /// Something of the exchange with this number; nil when it is not here.
  @inline(__always)
  func read<Value>(_ ordinal: Int, _ value: (borrowing OpenExchange) -> Value) -> Value? {
    ordinal >= first && ordinal < end ? queue.look(ordinal - first, value) : nil
  }

  /// Changes the exchange with this number, if it is here.
  @inline(__always)
  mutating func change(_ ordinal: Int, _ body: (inout OpenExchange) -> Void) {
    if ordinal >= first, ordinal < end { queue.change(ordinal - first, body) }
  }

  /// Its state.
  mutating func code(_ coder: inout StateCoder, connection number: Int) {
    coder.integer(&first)
    queue.code(&coder) { $0.code(&$1, connection: number) }
  }
}
