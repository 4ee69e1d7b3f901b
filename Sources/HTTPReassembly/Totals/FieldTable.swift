/// The octets of one field of one direction of an API (MEASURES §9).
public struct FieldTotals: Sendable, Equatable {
  /// The host of the API.
  public var host = TextID.none
  /// The path.
  public var path = TextID.none
  /// The method, if totals are grouped by it.
  public var method = TextID.none
  /// The process (`TextPool.process`), if totals are grouped by it.
  public var process = TextID.none
  /// Whether these are fields of requests; otherwise of responses, interim ones included.
  public var isRequest = false
  /// The field's name, lower-case. Octets that belong to no field have a name in parentheses.
  public var name: [UInt8] = []
  /// The number of messages with the field.
  public var messages = 0
  /// Octets on the wire: the line with its terminator, or its encoding.
  public var octets = 0
  /// Octets in the spelling of HTTP/1.1, where known.
  public var expandedOctets = 0
  /// Octets on the wire that repeat the field's value of the API's previous message on the same connection.
  public var repeatedOctets = 0

  /// Creates totals of zero.
  public init() {}
}

/// Totals of header fields by API, updated when messages become final.
struct FieldTable: Sendable {
  private struct Field {
    var name: UInt16
    var messages = 0
    var octets = 0
    var expanded = 0
    var repeated = 0
    /// The message counted last.
    var last = 0

    @inline(__always)
    mutating func add(octets: Int, expanded: Int, repeated: Int, of message: Int) {
      if last != message {
        last = message
        messages &+= 1
      }
      self.octets &+= octets
      self.expanded &+= expanded
      self.repeated &+= repeated
    }
  }

  /// The fields of the latest messages on a connection, one message of each API. Beyond the limit, the oldest API gives its place to a new
  /// one.
  private struct LatestFields {
    /// The positions of the APIs, and the directions. They lie together, so that one look compares several.
    var apis: [Int32] = []
    var lines: [[FieldNotes.Line]] = []
    var oldest = 0

    /// The place of an API in a direction; nil if its latest fields are not known.
    @inline(__always)
    func place(of api: Int32) -> Int? {
      let known = apis.span
      // Without an early end, which would keep the processor from comparing several at once.
      var found: Int32 = 0
      for index in known.indices { found |= known[index] == api ? 1 : 0 }
      return found == 0 ? nil : apis.firstIndex(of: api)
    }

    /// Takes the lines of an API's message, and gives those that are forgotten for them. Returns how many these are.
    @inline(__always)
    mutating func remember(_ new: inout [FieldNotes.Line], of api: Int32) -> Int {
      guard lines.count >= FieldTable.latestLimit else {
        apis.append(api)
        lines.append([])
        swap(&lines[lines.count - 1], &new)
        return 0
      }
      let place = oldest
      oldest = (oldest + 1) % FieldTable.latestLimit
      apis[place] = api
      // The memory of forgotten lines is used for the next message.
      swap(&lines[place], &new)
      return new.count
    }
  }

  /// Whether the table is wanted.
  let isWanted: Bool
  /// Fields of requests and fields of responses, for each API that has fields of its own. The first two are of all other APIs.
  private var fields: [[Field]] = []
  /// The index of an API's fields in `fields`, by the API's position; -1 without fields.
  private var places: [Int32] = []
  private var count = 0
  /// Latest fields by API, of connections that are not final.
  private var open: ConnectionSlots<LatestFields>
  /// The number of lines remembered, all connections together.
  private var remembered = 0
  private var search = FieldSearch()
  private var limit: Int
  private let rememberedLimit: Int

  /// APIs of one connection whose latest fields are remembered. Beyond it, the oldest API's fields are forgotten.
  static let latestLimit = 32

  /// Numbers for octets that belong to no field; they are above the numbers of names.
  private enum Rest {
    static var startLine: UInt16 { .max - 2 }
    static var header: UInt16 { .max - 1 }
    static var trailer: UInt16 { .max }
  }

  init(configuration: Configuration) {
    isWanted = configuration.tables.contains(.fields)
    limit = configuration.fieldLimit
    rememberedLimit = configuration.rememberedFieldLimit
    open = ConnectionSlots(isWanted: isWanted, initial: LatestFields())
  }

  /// Octets of memory that the table takes.
  var memory: Int {
    MemoryBudget.grown(fields.count) * 40 + MemoryBudget.grown(places.count) * 4
      + 2 * count * MemoryLayout<Field>.stride + open.memory
      + remembered * MemoryLayout<FieldNotes.Line>.stride
  }

  /// Ends the growth of the table: new fields have no row of their own, as beyond the limit.
  mutating func close() { limit = min(limit, count) }

  // MARK: Messages

  /// Adds a final message of the API at a position. It may take the lines away.
  mutating func add(
    _ message: inout Message, at position: Int, _ lines: inout [FieldNotes.Line], _ anomalies: inout AnomalyLog
  ) {
    let direction = message.kind == .request ? 0 : 1
    let index = place(of: position, &anomalies) + direction
    let api = Int32(2 * position + direction)
    var rest = Remainder(message)
    rest.remove(lines)
    // In a faulty message, lines can be longer than its section. The section is then counted as a whole.
    if rest.startLine < 0 || rest.header < 0 {
      lines.removeAll()
      rest = Remainder(message)
    }
    let slot = open.slot(of: message.connection)
    let latest = open[slot].place(of: api)
    // Moved out, so that they have no second owner while they change or are read.
    var own: [Field] = []
    swap(&own, &fields[index])
    var before: [FieldNotes.Line] = []
    if let latest { swap(&before, &open[slot].lines[latest]) }
    search.start()
    var place = 0
    while true {
      addInOrder(lines, &place, &own, before, of: message.number)
      guard place < lines.count else { break }
      let line = lines[place]
      let length = Int(line.length)
      let isRepeated = has(before, line, at: place)
      own[field(line.name, &own, &anomalies)].add(
        octets: length, expanded: Int(max(line.expanded, 0)), repeated: isRepeated ? length : 0, of: message.number)
      place &+= 1
    }
    let number = message.number
    addRest(Rest.startLine, rest.startLine, rest.startExpanded ?? 0, &place, &own, of: number, &anomalies)
    addRest(Rest.header, rest.header, rest.headerExpanded ?? 0, &place, &own, of: number, &anomalies)
    addRest(Rest.trailer, message.octets.trailer, 0, &place, &own, of: number, &anomalies)
    swap(&own, &fields[index])
    if let latest {
      remembered += lines.count - before.count
      swap(&open[slot].lines[latest], &lines)
      // Their memory is used again.
      swap(&lines, &before)
    } else {
      remember(&lines, slot, api, &anomalies)
    }
  }

  /// The octets of a message's start-line and header section that belong to no field.
  private struct Remainder {
    var startLine: Int
    var header: Int
    /// In the spelling of HTTP/1.1; nil if unknown.
    var startExpanded: Int?
    var headerExpanded: Int?

    @inline(__always)
    init(_ message: borrowing Message) {
      (startLine, header) = (message.octets.startLine, message.octets.header)
      (startExpanded, headerExpanded) = (message.expandedStartLine, message.expandedHeader)
    }

    mutating func remove(_ lines: [FieldNotes.Line]) {
      let lines = lines.span
      var (octets, expanded) = (0, 0)
      for place in lines.indices {
        octets &+= Int(lines[place].length)
        expanded &+= Int(lines[place].expanded)
        if lines[place].isPseudo || !lines[place].isHeader || lines[place].expanded < 0 {
          octets &-= Int(lines[place].length)
          expanded &-= Int(lines[place].expanded)
          removeOdd(lines[place])
        }
      }
      header -= octets
      headerExpanded = headerExpanded.map { $0 - expanded }
    }

    /// Removes a line that is not a field with known lengths.
    private mutating func removeOdd(_ line: FieldNotes.Line) {
      if line.isPseudo { startLine -= Int(line.length) } else { header -= Int(line.length) }
      if line.isHeader {
        headerExpanded = line.expanded < 0 ? nil : headerExpanded.map { $0 - Int(line.expanded) }
      } else {
        startExpanded = line.expanded < 0 ? nil : startExpanded.map { $0 - Int(line.expanded) }
      }
    }
  }

  /// Adds lines from `place` on, up to the first one whose field has another place in the API: nearly always, all of them.
  @inline(__always)
  private mutating func addInOrder(
    _ lines: [FieldNotes.Line], _ place: inout Int, _ own: inout [Field], _ before: [FieldNotes.Line], of message: Int
  ) {
    let lines = lines.span
    var fields = own.mutableSpan
    let end = min(lines.count, fields.count)
    while place < end, fields[place].name == lines[place].name {
      let line = lines[place]
      let length = Int(line.length)
      fields[place].add(
        octets: length, expanded: Int(max(line.expanded, 0)), repeated: has(before, line, at: place) ? length : 0,
        of: message)
      place &+= 1
    }
  }

  /// Adds octets that belong to no field.
  private mutating func addRest(
    _ name: UInt16, _ octets: Int, _ expanded: Int, _ place: inout Int, _ own: inout [Field], of message: Int,
    _ anomalies: inout AnomalyLog
  ) {
    guard octets > 0 || expanded > 0 else { return }
    own[field(name, at: place, &own, &anomalies)].add(
      octets: octets, expanded: max(expanded, 0), repeated: 0, of: message)
    place &+= 1
  }

  /// The place of an API's fields. When the table is full, all further APIs share the place without an API.
  @inline(__always)
  private mutating func place(of position: Int, _ anomalies: inout AnomalyLog) -> Int {
    if position < places.count, places[position] >= 0 { return Int(places[position]) }
    return newPlace(of: position, &anomalies)
  }

  @inline(never)
  private mutating func newPlace(of position: Int, _ anomalies: inout AnomalyLog) -> Int {
    while places.count <= position { places.append(-1) }
    if fields.isEmpty { fields = [[], []] }
    if count >= limit {
      anomalies.note(.fieldTableFull)
      places[position] = 0
    } else {
      places[position] = Int32(fields.count)
      fields.append([])
      fields.append([])
    }
    return Int(places[position])
  }

  /// Whether a section has a line's field with the same value, most likely at the same place.
  @inline(__always)
  private mutating func has(_ section: [FieldNotes.Line], _ line: FieldNotes.Line, at place: Int) -> Bool {
    guard line.value != 0, !section.isEmpty else { return false }
    if place < section.count, section[place].name == line.name, section[place].value == line.value { return true }
    return search.has(line, in: section)
  }

  /// The place of a field in a direction of an API. Most likely it is the field's place in the message.
  @inline(__always)
  private mutating func field(
    _ name: UInt16, at place: Int, _ own: inout [Field], _ anomalies: inout AnomalyLog
  ) -> Int {
    place < own.count && own[place].name == name ? place : field(name, &own, &anomalies)
  }

  /// The place of a field that is elsewhere, or new.
  @inline(never)
  private mutating func field(_ name: UInt16, _ own: inout [Field], _ anomalies: inout AnomalyLog) -> Int {
    if let known = search.place(of: name, own.count, { own[$0].name }) { return known }
    var name = name
    if name < Rest.startLine, count >= limit || own.count >= Self.nameLimit {
      anomalies.note(.fieldTableFull)
      name = FieldNames.none
      if let known = search.place(of: name, own.count, { own[$0].name }) { return known }
    }
    own.append(Field(name: name))
    search.added(name, at: own.count - 1)
    count += 1
    return own.count - 1
  }

  /// Fields of one direction of an API with totals of their own. More are a flood of invented names, which would make searches slow.
  static let nameLimit = 256

  // MARK: Connections

  /// Remembers the fields of a message as the latest of its API on its connection.
  private mutating func remember(
    _ lines: inout [FieldNotes.Line], _ slot: Int, _ api: Int32, _ anomalies: inout AnomalyLog
  ) {
    guard remembered + lines.count <= rememberedLimit else { return anomalies.note(.fieldTableFull) }
    remembered += lines.count
    remembered -= open[slot].remember(&lines, of: api)
  }

  /// Forgets the fields of a final connection.
  mutating func forget(_ connection: Int) {
    for lines in open.remove(connection).lines { remembered -= lines.count }
  }

  // MARK: Rows

  /// The rows of APIs beyond the limit, then of APIs in the order of their positions in `order`. Requests come before responses, each
  /// sorted by name. `apis` has the APIs' names.
  func rows(_ apis: borrowing BlockArray<APITotals>, _ order: [Int32], _ names: borrowing FieldNames) -> [FieldTotals] {
    var rows: [FieldTotals] = []
    rows.reserveCapacity(count)
    var texts: [[UInt8]] = []
    for number in 0..<names.count { texts.append(names[UInt16(number)]) }
    if !fields.isEmpty { append(0, FieldTotals(), texts, to: &rows) }
    for position in order where Int(position) < places.count {
      let place = Int(places[Int(position)])
      guard place >= 2 else { continue }
      var row = FieldTotals()
      row.host = apis[Int(position)].host
      row.path = apis[Int(position)].path
      row.method = apis[Int(position)].method
      row.process = apis[Int(position)].process
      append(place, row, texts, to: &rows)
    }
    return rows
  }

  private func append(_ place: Int, _ api: FieldTotals, _ names: [[UInt8]], to rows: inout [FieldTotals]) {
    for direction in 0..<2 {
      let first = rows.count
      for field in fields[place + direction] {
        var row = api
        row.isRequest = direction == 0
        row.name = Self.name(field.name, names)
        row.messages = field.messages
        row.octets = field.octets
        row.expandedOctets = field.expanded
        row.repeatedOctets = field.repeated
        rows.append(row)
      }
      rows[first...].sort { $0.name.lexicographicallyPrecedes($1.name) }
    }
  }

  private static func name(_ number: UInt16, _ names: [[UInt8]]) -> [UInt8] {
    switch number {
    case Rest.startLine: startLineName
    case Rest.header: headerName
    case Rest.trailer: trailerName
    case FieldNames.none: othersName
    default: names[Int(number)]
    }
  }

  // Made once: there can be very many rows.
  private static let startLineName = Array("(start-line)".utf8)
  private static let headerName = Array("(rest)".utf8)
  private static let trailerName = Array("(trailer)".utf8)
  private static let othersName = Array("(others)".utf8)
}
