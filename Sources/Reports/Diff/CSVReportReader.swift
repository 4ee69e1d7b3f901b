import HTTPReassembly
import TableReading
import Tabular

/// Reads `apis.csv`.
struct CSVReportReader {
  let path: String
  let name: String
  /// `hosts.csv` beside it; nil if absent.
  var hostsPath: String?
  /// `anomalies.csv` beside it; nil if absent.
  var anomaliesPath: String?

  func read() throws(ReadingError) -> ReportedAPIs {
    do throws(ReadingError) { return try rows() } catch { throw ReadingError(error.description) }
  }

  private func rows() throws(ReadingError) -> ReportedAPIs {
    var records = CSVRecords(file: try TableFile(path: path))
    guard try records.advance() else { throw ReadingError("\(path): has no header row") }
    let width = records.ends.count
    let positions: Positions
    do throws(RowFault) { positions = try Positions(records) } catch {
      throw ReadingError("\(path): \(error.description)")
    }
    var apis = ReportedAPIs(name: name)
    apis.isByMethod = positions.method != nil
    apis.isByProcess = positions.process != nil
    while try records.advance() {
      do throws(RowFault) {
        guard records.ends.count == width else {
          throw RowFault("has \(records.ends.count) cells under \(width) columns")
        }
        try apis.add(key(records, positions), api(records, positions))
      } catch {
        throw ReadingError("\(path): line \(records.line): \(error.description)")
      }
    }
    try addHosts(to: &apis)
    apis.isComplete = try isComplete()
    return apis
  }

  /// Whether the run came to its end; nil if no file tells.
  private func isComplete() throws(ReadingError) -> Bool? {
    guard let anomaliesPath else { return nil }
    var records = CSVRecords(file: try TableFile(path: anomaliesPath))
    while try records.advance() {
      if records.cell(0).elementsEqual(Anomaly.readingStopped.rawValue.utf8) { return false }
    }
    return true
  }

  /// Adds the hosts, if there is a file with their figures.
  private func addHosts(to apis: inout ReportedAPIs) throws(ReadingError) {
    guard let hostsPath else { return }
    var records = CSVRecords(file: try TableFile(path: hostsPath))
    guard try records.advance() else { return }
    let width = records.ends.count
    let names = records.ends.indices.map { String(decoding: records.cell($0), as: UTF8.self) }
    let positions = ReportedHost.columns.compactMap { names.firstIndex(of: $0) }
    guard let host = names.firstIndex(of: "host"), positions.count == ReportedHost.columns.count else { return }
    apis.beginHosts()
    while try records.advance() {
      do throws(RowFault) {
        guard records.ends.count == width else {
          throw RowFault("has \(records.ends.count) cells under \(width) columns")
        }
        var values: [Int] = []
        for (column, position) in zip(ReportedHost.columns, positions) {
          guard let value = Int(String(decoding: records.cell(position), as: UTF8.self)) else {
            throw RowFault("\(column) is not a whole number")
          }
          values.append(value)
        }
        try apis.add(text(records.cell(host)), ReportedHost(values))
      } catch {
        throw ReadingError("\(hostsPath): line \(records.line): \(error.description)")
      }
    }
  }

  private func key(_ records: borrowing CSVRecords, _ positions: Positions) -> APIKey {
    APIKey(
      host: text(records.cell(positions.host)), path: text(records.cell(positions.path)),
      method: positions.method.map { text(records.cell($0)) } ?? [],
      process: positions.process.map { text(records.cell($0)) } ?? [])
  }

  /// A text without the apostrophe that keeps a spreadsheet from running it as a formula.
  private func text(_ cell: ArraySlice<UInt8>) -> [UInt8] {
    TextEscaping.octets(cell.first == UInt8(ascii: "'") ? cell.dropFirst() : cell)
  }

  private func api(_ records: borrowing CSVRecords, _ positions: Positions) throws(RowFault) -> ReportedAPI {
    var api = ReportedAPI()
    for (column, position) in positions.counts {
      api.figures[column] = try ReportedCell.count(records.cell(position), column)
    }
    api.waitP50 = try ReportedCell.milliseconds(records.cell(positions.waitP50), "wait_ms_p50")
    api.waitP95 = try ReportedCell.milliseconds(records.cell(positions.waitP95), "wait_ms_p95")
    return api
  }
}

/// The positions of the columns.
private struct Positions {
  let host: Int
  let path: Int
  let method: Int?
  let process: Int?
  let counts: [(APIColumn, Int)]
  let waitP50: Int
  let waitP95: Int

  init(_ records: borrowing CSVRecords) throws(RowFault) {
    var indices: [String: Int] = [:]
    for cell in records.ends.indices {
      let name = String(decoding: records.cell(cell), as: UTF8.self)
      guard indices.updateValue(cell, forKey: name) == nil else { throw RowFault("has a column twice") }
    }
    func index(_ name: String) throws(RowFault) -> Int {
      guard let index = indices[name] else {
        throw RowFault("has no column \(name); is it the apis.csv of a report?")
      }
      return index
    }
    host = try index("host")
    path = try index("path")
    method = indices["method"]
    process = indices["process"]
    var counts: [(APIColumn, Int)] = []
    for column in APIColumn.allCases where column.isOriginal || indices[column.rawValue] != nil {
      counts.append((column, try index(column.rawValue)))
    }
    self.counts = counts
    waitP50 = try index("wait_ms_p50")
    waitP95 = try index("wait_ms_p95")
  }
}
