/// The processes that packets of one connection name. The last name counts.
///
/// On one machine both ends can be local processes. The capture then names both, if it gives the packets' directions.
struct ConnectionProcesses {
  private var sides = Sides<TextID>(repeating: .none)
  /// The process named by packets without a known direction.
  private var unsided = TextID.none

  /// Notes the process of a packet that `side` sent, and retains its text. Returns whether it replaces another one.
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

  /// The same processes with the sides exchanged.
  var reversed: ConnectionProcesses {
    var other = self
    other.sides = Sides(sides[1], sides[0])
    return other
  }

  /// The process that rows name: the client's, else the process without a known side, else the server's.
  ///
  /// While the client is unknown, it is the process if there is only one.
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

  /// The process of the connection's row, which retains the process's text. The other texts are released.
  mutating func settle(client: Side, _ texts: inout TextPool) -> TextID {
    let process = named(client: client)
    texts.retain(process)
    texts.release([sides[0], sides[1], unsided])
    self = ConnectionProcesses()
    return process
  }
}
