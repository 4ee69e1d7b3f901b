/// Names that DNS answers and capture files gave for addresses.
struct NameTable {
  private struct Entry {
    var name: [UInt8]
    /// How long the lookup took, in nanoseconds, until a connection has used it.
    var lookup: Int64?
  }

  private var entries: [IPAddress: Entry] = [:]
  /// Addresses in the order in which they came, as a ring: the oldest is forgotten first.
  private var order: [IPAddress] = []
  private var oldest = 0
  private let limit: Int
  /// Octets of memory that the table takes, as it is estimated.
  private(set) var memory = 0
  /// Octets that a name takes beside its own: its entry, its address in the order, and what the allocator adds.
  private static var cost: Int { 160 }

  init(limit: Int) { self.limit = max(limit, 1) }

  /// Learns a name; a later one replaces it. `lookup`: time from the query to its answer.
  mutating func learn(_ name: [UInt8], for address: IPAddress, lookup: Int64?) {
    memory += name.count + Self.cost
    if let replaced = entries.updateValue(Entry(name: name, lookup: lookup), forKey: address) {
      memory -= replaced.name.count + Self.cost
    } else {
      if order.count < limit {
        order.append(address)
      } else {
        if let forgotten = entries.removeValue(forKey: order[oldest]) { memory -= forgotten.name.count + Self.cost }
        order[oldest] = address
        oldest = (oldest + 1) % limit
      }
    }
  }

  /// The name of an address.
  func name(of address: IPAddress) -> [UInt8]? { entries[address]?.name }

  /// Whether names are known elsewhere: then `takeLookup` only notes what was asked for.
  var isElsewhere = false
  /// What was asked for where names are known elsewhere: the address, and the number of the connection.
  private(set) var asked: [(address: IPAddress, connection: Int)] = []

  /// What stands for how long a lookup took, where that is known elsewhere: no duration is negative. (`OptionalTime` has
  /// another meaning for the least number.)
  static var unknownLookup: Int64 { .min + 1 }

  /// Takes away what was asked for.
  mutating func takeAsked() -> [(address: IPAddress, connection: Int)] {
    defer { asked = [] }
    return asked
  }

  /// How long the lookup that led to a new connection took: once for each lookup.
  mutating func takeLookup(of address: IPAddress, for connection: Int) -> Int64? {
    if isElsewhere {
      asked.append((address, connection))
      return Self.unknownLookup
    }
    guard let lookup = entries[address]?.lookup else { return nil }
    entries[address]?.lookup = nil
    return lookup
  }
}
