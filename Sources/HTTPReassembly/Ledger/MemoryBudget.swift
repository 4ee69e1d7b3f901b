/// The memory that the tables of a run share: how much each takes, and how much is left for those that can give way.
///
/// The tables of APIs, names, secrets and QUIC connections give nothing back: each has a limit of its own. Tables that the report is made
/// of also share one limit. Beyond it, they take no further rows, as if each had reached its own.
///
/// Connections give way. They may use the memory that the tables leave: for rows, texts, octets behind gaps, and decoders. Beyond it, the
/// connection idle longest is evicted with its decoders. A decoder gets a larger window than usual only if that memory is unused.
package struct MemoryBudget {
  /// Octets that all tables may take together.
  private let limit: Int
  /// Octets that connections may take when the tables are empty.
  private let connectionLimit: Int
  /// Octets that the tables of the report may take together.
  private let tableLimit: Int
  /// Whether the tables of the report are above their limit, and get no further rows.
  private(set) var tablesAreFull = false
  /// Octets that connections may take now.
  private(set) var connectionRoom: Int
  /// Octets that connections took when memory was last given back.
  private var returned: Int

  /// Octets that decoders take in any run, which are not counted: idle decoders are kept.
  private static var usualDecoders: Int { 8 << 20 }

  init(_ configuration: Configuration) {
    limit = configuration.memoryLimit
    connectionLimit = configuration.connectionOctetLimit
    tableLimit = configuration.tableMemoryLimit
    connectionRoom = connectionLimit
    returned = connectionLimit
  }

  /// Octets that connections must free before memory is given back.
  private static var returnStep: Int { 8 << 20 }

  /// Sets the room of connections, by the octets of the report's tables and of all others. Both count one and a half times: a growing table
  /// exists twice for a moment, and freed memory can only partly be used again. Connections always keep at least a quarter of their limit.
  @inline(__always)
  mutating func share(tables: Int, others: Int) {
    tablesAreFull = tables > tableLimit
    let taken = tables &+ others
    connectionRoom = min(connectionLimit, max(limit &- taken &- taken / 2, connectionLimit / 4))
  }

  /// Gives memory back, if enough is free, after a connection was evicted and all others take `octets`.
  @inline(__always)
  mutating func connectionGaveWay(to octets: Int) {
    if octets <= returned - Self.returnStep {
      UnusedMemory.giveBack()
      returned = octets
    } else if octets > returned + Self.returnStep {
      returned = octets
    }
  }

  /// Gives memory back after connections or tables of so many octets have ended. The report follows.
  func end(after octets: Int) {
    if octets > Self.returnStep { UnusedMemory.giveBack() }
  }

  /// The capacity of an array of `count` elements, which doubles as it grows.
  ///
  /// The array's own answer depends on where its memory lies, but the same capture must have the same effect.
  package static func grown(_ count: Int) -> Int {
    count <= 1 ? count : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  /// The octets of decoders that count.
  @inline(__always)
  static func counted(decoders: Int) -> Int { max(decoders &- usualDecoders, 0) }
}

/// An amount of work that what comes pays for. It bounds work that a sender could otherwise cause at will.
struct Allowance {
  /// The rest; below 0 after work whose amount was not known before.
  private(set) var left: Int

  /// An allowance of `left` to begin with.
  init(_ left: Int) { self.left = left }

  /// Adds `amount`, up to `most` in all.
  @inline(__always)
  mutating func earn(_ amount: Int, most: Int) { left = min(left + amount, most) }

  /// Takes `amount`. Returns false, and takes nothing, where less is left.
  @inline(__always)
  mutating func take(_ amount: Int) -> Bool {
    guard amount <= left else { return false }
    left -= amount
    return true
  }

  /// Takes `amount` for work that was done.
  @inline(__always)
  mutating func pay(_ amount: Int) { left -= amount }
}
