import Capture
import HTTPReassembly
import Packets

/// Events of a capture beside its packets, as a partial stores them. Events that no analysis needs are left out.
enum EventRecords {
  private enum Kind: UInt8 {
    case name
    case process
    case app
    case comment
    case time
  }

  /// Writes an event.
  static func write(_ event: CaptureEvent, to rows: inout RowWriting) {
    func begin(_ kind: Kind) { rows.octets += [PartRecord.event.rawValue, kind.rawValue] }
    switch event {
    case .name(let record):
      begin(.name)
      var (address, name) = (record.address, record.name)
      rows.address(&address)
      rows.octets(&name)
    case .process(let record):
      begin(.process)
      rows.number(UInt64(record.number))
      rows.number(UInt64(record.identifier))
      var (name, path, uuid) = (record.name, record.path, record.uuid)
      rows.string(&name)
      rows.string(&path)
      rows.octets(&uuid)
    case .app(let record):
      begin(.app)
      rows.signed(Int64(record.user))
      var (package, name) = (record.package, record.name)
      rows.string(&package)
      rows.string(&name)
    case .comment(let record):
      begin(.comment)
      rows.number(UInt64(record.number))
      var octets = record.octets
      rows.octets(&octets)
    case .timePassed(let time):
      begin(.time)
      rows.signed(time)
    // Secrets and lost packets are in the head.
    case .secrets, .drops, .interface: break
    }
  }

  /// Reads an event; nil if an earlier partial had the same one.
  static func read(_ rows: inout RowReading, _ origins: inout PartialOrigins) throws(PartFault) -> CaptureEvent? {
    guard let kind = Kind(rawValue: try rows.octet()) else { throw .damaged }
    switch kind {
    case .name:
      var record = NameRecord(address: IPAddress(high: 0, low: 0), name: [])
      try rows.address(&record.address)
      try rows.octets(&record.name)
      return .name(record)
    case .process:
      let (number, identifier) = (try number(&rows), try rows.number())
      guard let identifier = UInt32(exactly: identifier) else { throw .damaged }
      var record = ProcessRecord(identifier: identifier, name: "", path: "", uuid: [])
      try rows.string(&record.name)
      try rows.string(&record.path)
      try rows.octets(&record.uuid)
      return origins.learn(record, number).map { .process($0) }
    case .app:
      guard let user = Int32(exactly: try rows.signed()) else { throw .damaged }
      var record = AppRecord(user: user, package: "", name: "")
      try rows.string(&record.package)
      try rows.string(&record.name)
      return .app(record)
    case .comment:
      let number = try number(&rows)
      var octets: [UInt8] = []
      try rows.octets(&octets)
      return origins.learn(comment: octets, number).map { .comment($0) }
    case .time: return .timePassed(try rows.signed())
    }
  }

  private static func number(_ rows: inout RowReading) throws(PartFault) -> UInt16 {
    guard let number = UInt16(exactly: try rows.number()) else { throw .damaged }
    return number
  }
}
