import HTTPReassembly

/// Columns of a log that have each other's figures.
enum ExchangedColumns: CaseIterable, Sendable {
  // Three columns go first: two of them alone would fit in part.
  case circle, circleBack, headerAndBody, lineAndHeader, lineAndBody
  case directions, headersOfDirections, bodiesOfDirections

  /// The columns in words.
  var words: String {
    switch self {
    case .circle, .circleBack: "start-line, header and body"
    case .headerAndBody: "header and body"
    case .lineAndHeader: "start-line and header"
    case .lineAndBody: "start-line and body"
    case .directions: "request and response"
    case .headersOfDirections: "headers of request and response"
    case .bodiesOfDirections: "bodies of request and response"
    }
  }

  /// The fewest rows that tell it, and the largest number that are looked at. These are spread evenly over all rows.
  private static let leastRows = 5
  private static let mostRows = 2_000

  /// The columns that a log has exchanged; nil when they are in their places. Nine in ten of the rows whose figures differ have
  /// them as figures of the other parts, for a message with their key, and fewer than half have them in their places.
  static func found(in log: AppLog, _ wire: [WireMessage]) -> ExchangedColumns? {
    var known: [Key: Figures] = [:]
    for message in wire where message.row.kind != .interim { known[Key(message), default: Figures()].add(message) }
    let partners = partners(in: log.entries)
    let step = max(log.entries.count / mostRows, 1)
    let rows = stride(from: 0, to: log.entries.count, by: step).compactMap { index in
      known[Key(log.entries[index])].map { (entry: log.entries[index], other: partners[index], known: $0) }
    }
    return allCases.first { columns in
      var telling = 0
      var inPlace = 0
      var exchanged = 0
      for row in rows {
        guard let restored = columns.restored(row.entry, row.other.map { log.entries[$0] }),
          columns.telling.contains(where: { $0.figure(row.entry) != $0.figure(restored) })
        else { continue }
        telling += 1
        if columns.fit(row.entry, row.known) { inPlace += 1 }
        if columns.fit(restored, row.known) { exchanged += 1 }
      }
      return telling >= leastRows && exchanged * 10 >= telling * 9 && inPlace * 2 < telling
    }
  }

  /// A log's rows with the figures in their places.
  func restored(_ entries: [LogEntry]) -> [LogEntry] {
    let partners = Self.partners(in: entries)
    return entries.indices.map { restored(entries[$0], partners[$0].map { entries[$0] }) ?? entries[$0] }
  }

  /// The other row of each exchange with one request and one response; nil for other rows.
  private static func partners(in entries: [LogEntry]) -> [Int?] {
    var rows: [Int: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      if let exchange = entry.exchange { rows[exchange, default: []].append(index) }
    }
    var partners: [Int?] = Array(repeating: nil, count: entries.count)
    for pair in rows.values where pair.count == 2 && entries[pair[0]].kind != entries[pair[1]].kind {
      (partners[pair[0]], partners[pair[1]]) = (pair[1], pair[0])
    }
    return partners
  }

  /// The entry with the figures in their places; nil where it lacks one of the columns, or the row of the other direction.
  private func restored(_ entry: LogEntry, _ partner: LogEntry?) -> LogEntry? {
    var restored = entry
    let (line, header, body) = (entry.lineLength, entry.headerLength, entry.bodyLength)
    switch self {
    case .circle: (restored.lineLength, restored.headerLength, restored.bodyLength) = (body, line, header)
    case .circleBack: (restored.lineLength, restored.headerLength, restored.bodyLength) = (header, body, line)
    case .headerAndBody: (restored.headerLength, restored.bodyLength) = (body, header)
    case .lineAndHeader: (restored.lineLength, restored.headerLength) = (header, line)
    case .lineAndBody: (restored.lineLength, restored.bodyLength) = (body, line)
    case .directions:
      guard let partner else { return nil }
      (restored.length, restored.lineLength) = (partner.length, partner.lineLength)
      (restored.headerLength, restored.bodyLength) = (partner.headerLength, partner.bodyLength)
      return telling.contains { $0.figure(entry) != nil && $0.figure(partner) != nil } ? restored : nil
    case .headersOfDirections: restored.headerLength = partner?.headerLength
    case .bodiesOfDirections: restored.bodyLength = partner?.bodyLength
    }
    return columns.allSatisfy { $0.figure(entry) != nil && $0.figure(restored) != nil } ? restored : nil
  }

  private enum Column: CaseIterable {
    case line, header, body, whole

    func figure(_ entry: LogEntry) -> Int? {
      switch self {
      case .line: entry.lineLength
      case .header: entry.headerLength
      case .body: entry.bodyLength
      case .whole: entry.length
      }
    }
  }

  /// The columns that are exchanged.
  private var columns: [Column] {
    switch self {
    case .circle, .circleBack: [.line, .header, .body]
    case .headerAndBody: [.header, .body]
    case .lineAndHeader: [.line, .header]
    case .lineAndBody: [.line, .body]
    case .directions: Column.allCases
    case .headersOfDirections: [.header]
    case .bodiesOfDirections: [.body]
    }
  }

  /// Those of them whose figures tell it. A header section may be counted in any form, so it tells less than the others.
  private var telling: [Column] {
    switch self {
    case .circle, .circleBack, .lineAndBody: [.line, .body]
    case .headerAndBody: [.body]
    case .lineAndHeader: [.line]
    case .directions, .headersOfDirections, .bodiesOfDirections: columns
    }
  }

  /// Whether the telling figures are those of messages with the entry's key.
  private func fit(_ entry: LogEntry, _ known: Figures) -> Bool {
    telling.allSatisfy { column in column.figure(entry).map { known.has($0, in: column) } ?? true }
  }

  private struct Key: Hashable {
    var key: MatchKey
    var isRequest: Bool

    init(_ message: WireMessage) {
      key = MatchKey(message)
      isRequest = message.row.kind == .request
    }

    init(_ entry: LogEntry) {
      key = MatchKey(entry)
      isRequest = entry.kind == .request
    }
  }

  /// The figures of all messages with one key.
  private struct Figures {
    private var lines: Set<Int> = []
    private var headers: Set<Int> = []
    private var bodies: Set<Int> = []
    private var wholes: Set<Int> = []

    mutating func add(_ message: WireMessage) {
      let octets = message.row.octets
      let (line, header) = (message.spelledLine ?? octets.startLine, message.spelledHeader ?? octets.header)
      lines.formUnion([octets.startLine, line])
      bodies.formUnion([octets.body, message.decodedLength ?? octets.body])
      // With and without the empty line, and the start-line.
      headers.formUnion([octets.header, header, header - 2, line + header, line + header - 2])
      for body in [octets.body, message.decodedLength ?? octets.body] {
        wholes.formUnion([octets.total, line + header + body, header + body, body])
      }
    }

    func has(_ figure: Int, in column: Column) -> Bool {
      switch column {
      case .line: lines.contains(figure)
      case .header: headers.contains(figure)
      case .body: bodies.contains(figure)
      case .whole: wholes.contains(figure)
      }
    }
  }
}
