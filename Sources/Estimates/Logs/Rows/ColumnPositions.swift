/// The positions of a log's columns in a table.
struct ColumnPositions {
  /// A column, and its index in a row.
  struct Found {
    let column: LogColumn
    let index: Int
  }

  /// The meaning of a row.
  enum Shape {
    /// A request or a response.
    case message
    /// A request and its response.
    case exchange
  }

  /// The columns that are present and that a table of this shape has.
  let found: [Found]
  /// The meaning of a row.
  let shape: Shape

  /// Finds the columns; case and the characters between words do not matter. Throws a `RowProblem` that names the missing
  /// columns.
  init(header: [String], columns: LogColumns) throws(RowProblem) {
    let folded = header.map(LogColumn.folded)
    var indices: [LogColumn: Int] = [:]
    for column in LogColumn.allCases {
      indices[column] = try Self.index(of: column, header, folded, columns)
    }
    let there = Set(indices.keys)
    let hasMessages = there.contains(.type) && LogColumn.lengths.contains(where: there.contains)
    let hasExchanges = LogColumn.exchangeLengths.contains(where: there.contains)
    shape = hasMessages || !hasExchanges ? .message : .exchange
    let required = shape == .message ? LogColumn.required : [.host, .path]
    let missing = required.filter { !there.contains($0) }
    guard missing.isEmpty else {
      // Without a type, a row may be an exchange, and the log has only its sum.
      if shape == .message, missing.allSatisfy({ $0 == .type || $0 == .time }),
        let sum = folded.firstIndex(where: LogColumn.sums.contains)
      {
        throw RowProblem(
          "column \(header[sum].shortened()) counts request and response together; expected a column for each, as "
            + "request_length and response_length")
      }
      throw Self.missing(missing, columns, header)
    }
    guard hasMessages || hasExchanges else { throw Self.missing(LogColumn.lengths, columns, header) }
    let sum = shape == .message ? nil : folded.firstIndex(where: LogColumn.sums.contains)
    self.sum = sum.map { index in
      let name = header[index].shortened()
      return "column \(name) may count both directions, and is not verified; if it does not, map it, as "
        + "response_length=\(name)"
    }
    let others = shape == .message ? LogColumn.ofExchanges : LogColumn.ofMessages
    found = LogColumn.allCases.compactMap { column in
      others.contains(column) ? nil : indices[column].map { Found(column: column, index: $0) }
    }
    let read = Set(found.map(\.index))
    let unread = header.indices.filter { index in
      !read.contains(index) && index != sum && LogColumn.lengthWords.contains { folded[index].hasSuffix($0) }
    }
    let names = unread.prefix(Self.shownNames).map { header[$0].shortened() }.sorted().joined(separator: ", ")
    let one = shape == .message ? "length" : "response_length"
    self.unread =
      unread.isEmpty
      ? nil
      : "columns that may be lengths and are not read: \(names)\(unread.count > Self.shownNames ? ", …" : ""); map them, as \(one)=NAME"
  }

  /// The largest number of columns that a notice names.
  private static let shownNames = 10

  /// The columns that tell of a message: host, path, and lengths.
  var ofMessages: [Found] { found.filter { [.host, .path].contains($0.column) || $0.column.isFigure } }

  /// Whether a column is present.
  func has(_ column: LogColumn) -> Bool { found.contains { $0.column == column } }

  /// A notice for each figure that this log lacks.
  var notices: [String] { missing + [sum, unread].compactMap { $0 } }

  private var missing: [String] {
    switch shape {
    case .message: LogColumn.lengths.filter { !has($0) }.map { "no column \($0.rawValue): it is not verified" }
    case .exchange:
      // Few logs have many of the eight.
      [LogColumn.exchangeLengths.filter { !has($0) }.map(\.rawValue)].filter { !$0.isEmpty }.map {
        "no column \($0.joined(separator: ", ")): not verified"
      }
    }
  }

  /// A notice for a column that may have both directions, where a row is an exchange.
  private let sum: String?
  /// A notice for columns that may be lengths and are not read.
  private let unread: String?

  /// The position of a column; nil when it is absent.
  static func index(
    of column: LogColumn, _ header: [String], _ folded: [String], _ columns: LogColumns
  ) throws(RowProblem) -> Int? {
    if let name = columns.names[column] {
      // An exact match comes first, then one that ignores case and separators.
      let wanted = LogColumn.folded(name)
      let exact = header.indices.filter { header[$0] == name }
      let indices = exact.isEmpty ? folded.indices.filter { folded[$0] == wanted } : exact
      guard indices.count <= 1 else { throw RowProblem("column \(name) is there twice") }
      // A mapped name must exist, even for an optional column.
      guard let index = indices.first else { throw missing([column], columns, header) }
      return index
    }
    // A mapped column has no other meaning; but a URL is both host and path.
    let isOfURL = column == .host || column == .path
    let taken = isOfURL ? [] : Set(columns.names.values.map(LogColumn.folded))
    let names = column.knownNames.filter { !taken.contains($0) }
    let indices = folded.indices.filter { names.contains(folded[$0]) }
    guard indices.count > 1 else { return indices.first }
    if let double = indices.first(where: { index in indices.contains { $0 != index && folded[$0] == folded[index] } }) {
      throw RowProblem("column \(header[double].shortened()) is there twice")
    }
    // Only the log's author knows which of two figures is meant. For names and times, the first of our list is taken.
    guard column.isFigure else {
      return names.lazy.compactMap { name in indices.first { folded[$0] == name } }.first
    }
    let candidates = indices.map { header[$0].shortened() }.joined(separator: " and ")
    throw RowProblem("columns \(candidates) could both be \(column.rawValue); map it, as \(column.rawValue)=NAME")
  }

  private static func missing(_ columns: [LogColumn], _ names: LogColumns, _ header: [String]) -> RowProblem {
    let wanted = columns.map { names.name($0) }.joined(separator: ", ")
    guard !header.isEmpty else { return RowProblem("no column \(wanted), nor any other") }
    let there = header.prefix(20).map { $0.shortened() }.joined(separator: ", ")
    let more = header.count > 20 ? " and \(header.count - 20) more" : ""
    let map = columns.first.map { "map it, as \($0.rawValue)=NAME" } ?? ""
    // Without a type, a row is likelier an exchange whose figures have other names.
    let both =
      columns.contains(.type)
      ? "; a row an exchange needs no type, but request_length, response_length or their parts" : ""
    return RowProblem("no column \(wanted); there are: \(there)\(more); \(map)\(both)")
  }
}

extension LogColumn {
  /// Whether the column counts octets.
  fileprivate var isFigure: Bool {
    LogColumn.lengths.contains(self) || LogColumn.exchangeLengths.contains(self)
      || [.decodedLength, .requestDecodedLength, .responseDecodedLength, .queryLength].contains(self)
  }
}
