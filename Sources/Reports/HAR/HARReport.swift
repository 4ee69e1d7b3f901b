import HTTPReassembly
import Tabular

/// `report.har`: an HTTP Archive 1.2, one entry an exchange, in the order of their numbers.
///
/// Only parts that wait for their turn are held. An entry has three rows in an `OrderedRows`: the request, the facts of the
/// exchange, the response. Messages come before their exchange, which fills in the missing ones. The file is a valid archive only
/// when it is finished.
public final class HARReport: Report {
  /// The file's name.
  static let fileName = "report.har"

  private let redaction: Redaction?
  private let options: Set<HARContent>
  private let file: OutputFile
  private let gathering: HARContentObserver?
  private var rows: OrderedRows
  private var json = JSONWriter()
  private var interim: [Int: HARInterim] = [:]
  /// The endpoints of exchanges whose request was not captured.
  private var orphans: [Int: Directional<Endpoint>] = [:]
  private var bodyRoom: Int
  private let allowance: RowAllowance
  /// The exchanges whose entry has begun. It is completed, even when the allowance is used up.
  private var begun: Set<Int> = []
  private var entriesLeftOut = 0
  private var isFinished = false
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; a file of that name is replaced.
  ///
  /// - Parameters:
  ///   - folder: The folder of the file.
  ///   - options: The parts of messages besides figures. With a redaction only figures are written, because any field, query or
  ///     content may be personal.
  ///   - redaction: The facts to leave out; nil keeps all.
  ///   - allowance: The limits of the entries.
  /// - Throws: When the folder or the file cannot be created or opened.
  public convenience init(
    folder: String, options: HAROptions = HAROptions(), redaction: Redaction? = nil,
    allowance: RowAllowance = RowAllowance()
  ) throws(ReportError) {
    try self.init(
      folder: folder, options: options, redaction: redaction, allowance: allowance, limits: HARLimits(),
      memoryLimit: OrderedRows.memoryLimit)
  }

  /// Opens the report with limits.
  init(
    folder path: String, options: HAROptions, redaction: Redaction?, allowance: RowAllowance = RowAllowance(),
    limits: HARLimits, memoryLimit: Int
  ) throws(ReportError) {
    self.redaction = redaction
    self.allowance = allowance
    self.options = redaction == nil ? options.content : []
    gathering = self.options.isEmpty ? nil : HARContentObserver(self.options, limits: limits)
    bodyRoom = limits.fileBodyLength
    let folder = try OutputFolder(path)
    file = try folder.file(Self.fileName)
    rows = OrderedRows(file: file, folder: folder, memoryLimit: memoryLimit)
    try file.append(Self.start(options.creatorVersion))
  }

  /// Entries are left out as a whole, which needs all messages of each.
  public var takesEveryRow: Bool { true }

  /// Gathers the parts of messages that are to be written; nil without any.
  public var observer: (any MessageObserver)? { gathering }

  /// Writes a message's part of its entry.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    var said = gathering?.take(message.number)
    guard isOpen, message.exchange > 0, hasRoom(message.exchange) else { return }
    // Beyond the allowance only figures complete an entry.
    if !allowance.isOpen { said = nil }
    if message.flags.contains(.requestNotSeen) {
      orphans[message.exchange] = Directional(client: message.client, server: message.server)
    }
    if message.kind == .interim {
      interim[message.exchange, default: HARInterim()].add(message)
      return
    }
    let body = options.contains(.bodies) ? HARBody(message, said, room: bodyRoom) : nil
    bodyRoom -= body?.count ?? 0
    if message.kind == .request {
      startEntry(message.exchange)
      HAREntry.append(server: message.server, redaction: redaction, to: &json)
      HARRequest.append(message, said, options, body: body, texts: texts, redaction: redaction, to: &json)
      try add(message.exchange, .request)
    } else {
      makeResponse(message, said, body, texts)
      // Its entry may have begun, and has kept room for figures only.
      if said != nil, !allowance.hasRoom(for: json.length) { makeResponse(message, nil, nil, texts) }
      try add(message.exchange, .response)
    }
  }

  private func makeResponse(
    _ message: Message, _ said: HARMessageContent?, _ body: HARBody?, _ texts: borrowing TextPool
  ) {
    json.clear(needingComma: true)
    HARResponse.append(message, said, body: body, texts: texts, to: &json)
    json.close("}")
  }

  /// Writes the rest of an entry.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    let interim = interim.removeValue(forKey: exchange.number)
    let orphan = orphans.removeValue(forKey: exchange.number)
    guard isOpen else { return }
    guard hasRoom(exchange.number) else {
      entriesLeftOut += 1
      return
    }
    if exchange.request == nil {
      startEntry(exchange.number)
      if let orphan { HAREntry.append(server: orphan.server, redaction: redaction, to: &json) }
      HARRequest.appendUnseen(exchange, orphan, redaction: redaction, to: &json)
      try add(exchange.number, .request)
    }
    json.clear(needingComma: true)
    HAREntry.append(exchange, to: &json)
    HARResponse.start(exchange, interim: interim, to: &json)
    try add(exchange.number, .exchange)
    if exchange.response == nil {
      json.clear(needingComma: true)
      HARResponse.appendUnseen(to: &json)
      json.close("}")
      try add(exchange.number, .response)
    }
    if begun.remove(exchange.number) == nil {
      entriesLeftOut += 1
    } else {
      allowance.giveBack(Self.entryReserve)
    }
  }

  /// Connections are in this report only as far as entries name them.
  public func connection(_ connection: Connection, texts: borrowing TextPool) {}

  /// A HAR is readable only when it is complete, so `ReportFormat` opens none for a live run.
  public func flush(_ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void) {}

  /// Does nothing, as `flush`.
  public func reopen() {}

  /// Writes the ledger and completes the archive.
  ///
  /// - Throws: The first error of the whole report. After a write error the file is not a valid archive.
  public func finish(_ totals: Totals) throws(ReportError) {
    if let failure { throw failure }
    guard !isFinished else { return }
    isFinished = true
    try noting { () throws(ReportError) in
      try rows.writeAll()
      json.clear()
      json.newline()
      json.close("]")
      HARLedger.append(totals.ledger, to: &json)
      if entriesLeftOut > 0 {
        json.key("_wireEntriesLeftOut")
        json.integer(entriesLeftOut)
        json.key("comment")
        json.name("\(entriesLeftOut) entries are left out, beyond --max-report.")
      }
      json.close("}")
      json.close("}")
      json.newline()
      try json.withOctets { octets throws(ReportError) in try file.append(octets) }
      try file.close()
    }
  }

  /// The parts of an entry, in their order in the file.
  private enum Part: Int {
    case request = 1
    case exchange = 2
    case response = 3
  }

  private var isOpen: Bool { !isFinished && failure == nil }

  /// Starts an entry. Exchanges are numbered from 1, and the first has no comma before it.
  private func startEntry(_ exchange: Int) {
    json.clear(needingComma: exchange > 1)
    json.newline()
    json.open("{")
  }

  /// Whether an exchange's entry has begun, or may begin. The first one always has room, because it is the one without a comma.
  private func hasRoom(_ exchange: Int) -> Bool {
    allowance.isOpen || exchange == 1 || begun.contains(exchange)
  }

  /// Octets of the allowance that a begun entry reserves for its rest: more than its figures take.
  static let entryReserve = 4096

  private func add(_ exchange: Int, _ part: Part) throws(ReportError) {
    try noting { () throws(ReportError) in
      try json.withOctets { octets throws(ReportError) in
        if begun.contains(exchange) {
          allowance.take(octets.byteCount)
        } else {
          guard allowance.take(octets.byteCount + Self.entryReserve) || exchange == 1 else { return }
          begun.insert(exchange)
        }
        try rows.add((exchange - 1) * 3 + part.rawValue, octets)
      }
    }
  }

  private func noting(_ body: () throws(ReportError) -> Void) throws(ReportError) {
    do throws(ReportError) { try body() } catch {
      failure = error
      throw error
    }
  }

  /// The archive up to its first entry.
  private static func start(_ version: String) -> [UInt8] {
    var json = JSONWriter()
    json.open("{")
    json.key("log")
    json.open("{")
    json.key("version")
    json.name("1.2")
    json.key("creator")
    json.open("{")
    json.key("name")
    json.name("sniffer")
    json.key("version")
    json.escaped(Array(version.utf8))
    json.close("}")
    // Packets do not show pages; readers that ask for them find none.
    json.key("pages")
    json.open("[")
    json.close("]")
    json.key("entries")
    json.open("[")
    return Array(json.octets)
  }
}
