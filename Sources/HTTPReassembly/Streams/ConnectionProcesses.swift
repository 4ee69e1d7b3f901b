/// The processes that packets of one connection were said to belong to, each the one named last.
///
/// On one machine both ends can be processes of it; then the capture names both, as far as it says which way a packet went.
struct ConnectionProcesses {
  private var sides = Sides<TextID>(repeating: .none)
  /// Of packets of which the capture does not say which way they went.
  private var unsided = TextID.none

  /// Notes the process of a packet that `side` sent. Holds on to its text. Returns whether it replaces another one.
  mutating func note(_ mention: ProcessMention, from side: Side, _ texts: inout TextPool) -> Bool {
    switch mention.party {
    case .unknown: Self.replace(&unsided, mention.process, &texts)
    case .sender: Self.replace(&sides[side], mention.process, &texts)
    case .receiver: Self.replace(&sides[1 - side], mention.process, &texts)
    }
  }

  private static func replace(_ known: inout TextID, _ process: TextID, _ texts: inout TextPool) -> Bool {
    guard known != process else { return false }
    texts.retain(process)
    texts.release(known)
    defer { known = process }
    return known != .none
  }

  /// The process that rows name: the client's, else the one that is known without its side, else the server's. While the client is not
  /// known, the only one.
  @inline(__always)
  func named(client: Side?) -> TextID {
    if sides[0] == .none, sides[1] == .none { return unsided }
    guard let client else {
      let (first, second) = (sides[0], sides[1])
      return first == .none || first == second ? second : second == .none ? first : .none
    }
    if sides[client] != .none { return sides[client] }
    return unsided != .none ? unsided : sides[1 - client]
  }

  /// The process of the row of the connection, which holds on to its text from now on. The others are let go.
  mutating func settle(client: Side, _ texts: inout TextPool) -> TextID {
    let process = named(client: client)
    texts.retain(process)
    texts.release([sides[0], sides[1], unsided])
    self = ConnectionProcesses()
    return process
  }
}
