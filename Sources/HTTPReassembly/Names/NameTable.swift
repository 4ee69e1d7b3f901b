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

  init(limit: Int) { self.limit = max(limit, 1) }

  /// Learns a name; a later one replaces it. `lookup`: time from the query to its answer.
  mutating func learn(_ name: [UInt8], for address: IPAddress, lookup: Int64?) {
    if entries.updateValue(Entry(name: name, lookup: lookup), forKey: address) == nil {
      if order.count < limit {
        order.append(address)
      } else {
        entries[order[oldest]] = nil
        order[oldest] = address
        oldest = (oldest + 1) % limit
      }
    }
  }

  /// The name of an address.
  func name(of address: IPAddress) -> [UInt8]? { entries[address]?.name }

  /// How long the lookup that led to a new connection took: once for each lookup.
  mutating func takeLookup(of address: IPAddress) -> Int64? {
    guard let lookup = entries[address]?.lookup else { return nil }
    entries[address]?.lookup = nil
    return lookup
  }
}
