/// Names that DNS answers and capture files gave for addresses, and the protocols that DNS offers for names.
struct NameTable {
  private struct Entry {
    var name: [UInt8]
    /// The duration of the lookup in nanoseconds; nil once a connection has used it.
    var lookup: Int64?
  }

  private var entries: [IPAddress: Entry] = [:]
  /// Addresses in the order of arrival, as a ring. The oldest is forgotten first.
  private var order: [IPAddress] = []
  private var oldest = 0
  private let limit: Int
  /// The protocols of HTTPS records, by name. Names beyond the limit are left out.
  private var services: [[UInt8]: AlternativeServices] = [:]
  /// Octets of memory that the table takes, estimated.
  private(set) var memory = 0
  /// Octets that a name costs beside its own: its entry, its address in the order, and the allocator's overhead.
  private static var cost: Int { 160 }

  init(limit: Int) { self.limit = max(limit, 1) }

  /// Learns a name, in place of an earlier one. `lookup` is the time from the query to its response.
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

  /// Learns the protocols that HTTPS records offer for a name.
  mutating func learn(_ offered: AlternativeServices, of name: [UInt8]) {
    if services[name] == nil {
      guard services.count < limit else { return }
      memory += name.count + Self.cost
    }
    services[name, default: []].formUnion(offered)
  }

  /// Whether any HTTPS record was seen.
  var hasServices: Bool { !services.isEmpty }

  /// The protocols that HTTPS records offer for a name; empty without records.
  func services(of name: [UInt8]) -> AlternativeServices { services[name] ?? [] }

  /// The name of an address.
  func name(of address: IPAddress) -> [UInt8]? { entries[address]?.name }

  /// Whether names are known elsewhere. `takeLookup` then only records each request.
  var isElsewhere = false
  /// Requests recorded while names are known elsewhere: the address, and the number of the connection.
  private(set) var asked: [(address: IPAddress, connection: Int)] = []

  /// The placeholder for a duration that is known elsewhere: no duration is negative. (`OptionalTime` uses the least number for none.)
  static var unknownLookup: Int64 { .min + 1 }

  /// Returns the recorded requests, and forgets them.
  mutating func takeAsked() -> [(address: IPAddress, connection: Int)] {
    defer { asked = [] }
    return asked
  }

  /// The duration of the lookup that led to a new connection. Each lookup is used once.
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
