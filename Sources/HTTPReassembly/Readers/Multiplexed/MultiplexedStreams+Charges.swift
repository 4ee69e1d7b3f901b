// Charges to the owners of octets (MEASURES §2, §6).

extension MultiplexedStreams {
  /// Charges a packet to the owners of its octets, and the rest to the connection.
  mutating func settle(_ charge: Charge, _ owners: Owners, of side: Side, _ run: inout Run) {
    var charge = charge
    if tunnels != nil, !chargeTunnel(&charge, owners, of: side, &run) { return }
    var tunnelled: [(UInt64, Range<StreamPosition>)] = []
    run.connection.added.unattributed += owners.charge(charge, &run.rows) { tunnelled.append(($0, $1)) }
    for (stream, part) in tunnelled { chargeTunnel(stream, repeated: part, of: side, &run) }
  }

  mutating func flag(_ range: Range<StreamPosition>, _ owners: Owners, of side: Side, _ run: inout Run) {
    var tunnelled: [(UInt64, Range<StreamPosition>)] = []
    owners.flagConflict(range, &run.rows) { tunnelled.append(($0, $1)) }
    for (stream, part) in tunnelled { withTunnel(stream, &run) { $0.flagConflict(part, on: side, &$1) } }
  }

  /// Takes octets of a gap that come after it was given up. Their owners count them, but they are not read.
  mutating func acceptLate(_ range: Range<StreamPosition>, _ owners: Owners, on side: Side, _ run: inout Run) {
    var parts: [(Range<StreamPosition>, MessageReference)] = []
    owners.forEachPart(of: range) { parts.append(($0, $1)) }
    for (part, owner) in parts {
      guard !owner.isNone else {
        if let stream = owner.tunnel, acceptLate(part, ofTunnel: stream, on: side, &run) { continue }
        // The owners of very old octets are forgotten. A row may miss them.
        if part.lowerBound >= owners.start { run.countMissing(-part.count) }
        run.acceptLate(part.count, as: .stray)
        continue
      }
      // A final row does not change its count of missing octets, so its connection must not either.
      let missing = owner.isOpen(run.rows) ? run.rows[message: owner.row].missing : 0
      let found = min(missing, part.count)
      if found > 0 {
        run.countMissing(-found)
        run.rows[message: owner.row].missing -= found
        let slot = run.rows.messages.look(Int(owner.row)) { $0.exchange }
        // An interim response has fields only.
        let isInterim = run.rows[message: owner.row].kind == .interim
        let fields = isInterim ? found : min(found, list[slot].halves[side].missingFields)
        if !isInterim { list[slot].halves[side].missingFields -= fields }
        run.rows[message: owner.row].octets.header += fields
        run.rows[message: owner.row].octets.body += found - fields
        run.ledger.settle(fields, as: .header)
        run.ledger.settle(found - fields, as: .body)
      }
      if part.count > found { run.acceptLate(part.count - found, as: .stray) }
    }
  }
}
