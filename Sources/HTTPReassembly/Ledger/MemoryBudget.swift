/// The memory that the tables of a run share: what each of them takes, and how much is left for those that can give way.
///
/// The tables of APIs, of names, of secrets and of QUIC's connections give nothing back: each has a limit of its own. Those that the report
/// is made of have one together, too: beyond it they take no further rows, as if each had reached its own.
/// Connections give way. So they may take what those leave, with their rows, their texts, what they hold behind holes, and the
/// decoders of their contents: beyond it the one that is idle longest is evicted, and its decoders with it. And a decoder gets a
/// window that is larger than usual only where nobody else takes the memory for it.
struct MemoryBudget {
  /// Octets that all tables may take together.
  private let limit: Int
  /// Octets that connections may take where there is nothing else.
  private let connectionLimit: Int
  /// Octets that the tables which the report is made of may take together.
  private let tableLimit: Int
  /// Whether they take more, so that they are to get no further rows.
  private(set) var tablesAreFull = false
  /// Octets that connections may take now.
  private(set) var connectionRoom: Int
  /// What connections took when memory was given back last.
  private var returned: Int

  /// Octets that decoders take in any run, and that are not counted: idle ones are kept.
  private static var usualDecoders: Int { 8 << 20 }

  init(_ configuration: Configuration) {
    limit = configuration.memoryLimit
    connectionLimit = configuration.connectionOctetLimit
    tableLimit = configuration.tableMemoryLimit
    connectionRoom = connectionLimit
    returned = connectionLimit
  }

  /// Octets that connections leave before memory is given back.
  private static var returnStep: Int { 8 << 20 }

  /// The tables that the report is made of take so many octets now, and so many the others that give nothing back. Both count half as much
  /// again: a table that grows is there twice for a moment, and not all that connections leave can be used again. At least a third of what
  /// they may take is always left to connections.
  @inline(__always)
  mutating func share(tables: Int, others: Int) {
    tablesAreFull = tables > tableLimit
    let taken = tables &+ others
    connectionRoom = min(connectionLimit, max(limit &- taken &- taken / 2, connectionLimit / 3))
  }

  /// A connection has given way, and all others take so many octets.
  @inline(__always)
  mutating func connectionGaveWay(to octets: Int) {
    if octets <= returned - Self.returnStep {
      UnusedMemory.giveBack()
      returned = octets
    } else if octets > returned + Self.returnStep {
      returned = octets
    }
  }

  /// Something has ended that took so many octets, connections or tables: what comes now is the report.
  func end(after octets: Int) {
    if octets > Self.returnStep { UnusedMemory.giveBack() }
  }

  /// Elements that an array of so many has room for, which it doubles: what it says itself depends on where its memory lies.
  static func grown(_ count: Int) -> Int { count <= 1 ? count : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount) }

  /// What counts of the octets that decoders hold.
  @inline(__always)
  static func counted(decoders: Int) -> Int { max(decoders &- usualDecoders, 0) }
}
