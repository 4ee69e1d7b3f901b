import Packets

/// A negotiation of SOCKS, in which both sides take turns.
struct PrefixDialogue {
  private let own: [UInt8]
  private let other: [UInt8]
  private var ownEnd = 0
  private var otherEnd = 0
  /// The number of octets of each side that belong to the steps so far; `.max` while the end of a step is unknown.
  private(set) var ownLimit = Int.max
  private(set) var otherLimit = Int.max

  /// Why a step cannot be read.
  enum Stop: Error {
    /// The octets are not those of the protocol.
    case wrong
    /// More octets have to come.
    case early
  }

  /// The octets of the client, and those of the proxy.
  init(own: [UInt8], other: [UInt8]) {
    self.own = own
    self.other = other
  }

  // MARK: Octets

  /// The next octet of the client.
  private mutating func ask() throws(Stop) -> UInt8 {
    guard ownEnd < own.count else { throw .early }
    defer { ownEnd += 1 }
    return own[ownEnd]
  }

  /// The next octets of the client, as many as there are.
  private mutating func ask(_ count: Int) throws(Stop) -> [UInt8] {
    guard own.count - ownEnd >= count else { throw .early }
    defer { ownEnd += count }
    return Array(own[ownEnd..<ownEnd + count])
  }

  /// The octets of the client up to an octet 0.
  private mutating func askText() throws(Stop) -> [UInt8] {
    var text: [UInt8] = []
    while case let octet = try ask(), octet != 0 {
      text.append(octet)
      guard text.count <= 255 else { throw .wrong }
    }
    return text
  }

  /// The next octet of the proxy, which must be one of some values.
  private mutating func answer(_ isPossible: (UInt8) -> Bool) throws(Stop) -> UInt8 {
    guard otherEnd < other.count else { throw .early }
    guard isPossible(other[otherEnd]) else { throw .wrong }
    defer { otherEnd += 1 }
    return other[otherEnd]
  }

  private mutating func answer(_ count: Int) throws(Stop) {
    guard other.count - otherEnd >= count else { throw .early }
    otherEnd += count
  }

  /// Ends a step of the client: the proxy comes next.
  private mutating func turnToProxy() {
    ownLimit = ownEnd
    otherLimit = .max
  }

  /// Ends a step of the proxy: the client comes next.
  private mutating func turnToClient() {
    otherLimit = otherEnd
    ownLimit = .max
  }

  private func found(_ prefix: ConnectionPrefix) -> PrefixReading { .found(prefix, own: ownEnd, other: otherEnd) }

  private static func text(_ name: [UInt8], _ port: [UInt8]) -> [UInt8] {
    name + Array(":\(Int(port[0]) << 8 | Int(port[1]))".utf8)
  }

  private static func text4(_ address: [UInt8], _ port: [UInt8]) -> [UInt8] {
    text(Array(address.map { "\($0)" }.joined(separator: ".").utf8), port)
  }

  private static func text6(_ address: [UInt8], _ port: [UInt8]) -> [UInt8] {
    func half(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
    return PrefixReading.text(
      IPAddress(high: half(address[0..<8]), low: half(address[8..<16])), UInt16(port[0]) << 8 | UInt16(port[1]))
  }

  /// The command that asks for a connection from outside. The proxy answers twice.
  private static let bind: UInt8 = 2

  // MARK: SOCKS 4 and 4a

  /// A request with an address, or with the address 0.0.0.x and a name, and an answer of eight octets.
  mutating func readSOCKS4() throws(Stop) -> PrefixReading {
    _ = try ask()
    guard other.first ?? 0 == 0 else { throw .wrong }
    let command = try ask()
    guard 1...2 ~= command else { throw .wrong }
    let port = try ask(2)
    let address = try ask(4)
    _ = try askText()
    var prefix = ConnectionPrefix(.socks4)
    if address[0...2] == [0, 0, 0], address[3] != 0 {
      let name = try askText()
      guard !name.isEmpty else { throw .wrong }
      prefix.server = Self.text(name.map(\.lowercased), port)
    } else {
      prefix.server = Self.text4(address, port)
    }
    turnToProxy()
    var code = try answer4()
    if command == Self.bind, code == 0x5a { code = try answer4() }
    return found(prefix)
  }

  private mutating func answer4() throws(Stop) -> UInt8 {
    _ = try answer { $0 == 0 }
    let code = try answer { 0x5a...0x5d ~= $0 }
    try answer(6)
    return code
  }

  // MARK: SOCKS 5

  /// A greeting, perhaps a user with a password (RFC 1929), a request, and the answers (RFC 1928 §3 to §6).
  mutating func readSOCKS5() throws(Stop) -> PrefixReading {
    _ = try ask()
    guard other.first ?? 5 == 5 else { throw .wrong }
    let count = try ask()
    guard count > 0 else { throw .wrong }
    let methods = try ask(Int(count))
    turnToProxy()
    _ = try answer { $0 == 5 }
    let method = try answer { $0 == 0xff || ($0 == 0 || $0 == 2) && methods.contains($0) }
    let prefix = ConnectionPrefix(.socks5)
    guard method != 0xff else { return found(prefix) }
    turnToClient()
    if method == 2 {
      guard try ask() == 1 else { throw .wrong }
      _ = try ask(Int(try ask()))
      _ = try ask(Int(try ask()))
      turnToProxy()
      _ = try answer { $0 == 1 || $0 == 5 }
      guard try answer({ _ in true }) == 0 else { return found(prefix) }
      turnToClient()
    }
    return try readRequest5(prefix)
  }

  private mutating func readRequest5(_ known: ConnectionPrefix) throws(Stop) -> PrefixReading {
    guard try ask() == 5, case let command = try ask(), 1...3 ~= command, try ask() == 0 else { throw .wrong }
    var prefix = known
    switch try ask() {
    case 1:
      let address = try ask(4)
      prefix.server = Self.text4(address, try ask(2))
    case 3:
      let length = try ask()
      guard length > 0 else { throw .wrong }
      let name = try ask(Int(length))
      prefix.server = Self.text(name.map(\.lowercased), try ask(2))
    case 4:
      let address = try ask(16)
      prefix.server = Self.text6(address, try ask(2))
    default: throw .wrong
    }
    turnToProxy()
    let code = try answer5()
    if command == Self.bind, code == 0 { _ = try answer5() }
    return found(prefix)
  }

  private mutating func answer5() throws(Stop) -> UInt8 {
    _ = try answer { $0 == 5 }
    let code = try answer { _ in true }
    _ = try answer { $0 == 0 }
    switch try answer({ [1, 3, 4].contains($0) }) {
    case 1: try answer(6)
    case 3: try answer(Int(try answer { _ in true }) + 2)
    default: try answer(18)
    }
    return code
  }
}
