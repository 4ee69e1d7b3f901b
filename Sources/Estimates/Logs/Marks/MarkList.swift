import Foundation
import HTTPReassembly

/// The marks of a test runner: a time and a label a line, as CSV or as JSON Lines.
///
/// A line of CSV has the time first and then the label, which may have quotes around it (RFC 4180). A header row may name other
/// places. A line of JSON is an object with a member for each. Times are those of apps' logs; one without a zone is UTC. Empty lines
/// are skipped.
package struct MarkList {
  /// The most octets of a file: marks with long labels.
  package static let sizeLimit = 4 << 20
  /// Octets of a line: a label with everything escaped, and columns that nobody reads.
  package static let lineLimit = 4096
  private static let timeNames = ["time", "timestamp", "ts", "t", "start", "at"]
  private static let labelNames = ["label", "name", "step", "mark", "title", "test"]
  private static let times = LogTime(unit: .automatic, zone: .gmt)

  /// The marks so far, in the order of lines.
  package private(set) var marks: [TimeMark] = []
  /// The cells of the time and the label.
  private var places = (time: 0, label: 1)
  private var line = 0
  private var isStarted = false

  /// Makes an empty list.
  package init() {}

  /// The marks of a whole file.
  ///
  /// - Throws: The fault and its line.
  package static func marks(in octets: [UInt8]) throws(MarkFault) -> [TimeMark] {
    var list = MarkList()
    for line in octets.split(separator: 0x0a, omittingEmptySubsequences: false) { try list.take(line) }
    return list.marks
  }

  /// Takes the next line, without its line feed.
  ///
  /// - Throws: The fault and the line's number. The line is then skipped.
  package mutating func take(_ octets: ArraySlice<UInt8>) throws(MarkFault) {
    line += 1
    var octets = octets
    if line == 1, octets.starts(with: [0xef, 0xbb, 0xbf]) { octets = octets.dropFirst(3) }
    if octets.last == 0x0d { octets = octets.dropLast() }
    guard !octets.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return }
    guard octets.count <= Self.lineLimit else { throw fault("has more than \(Self.lineLimit) bytes") }
    guard String(validating: octets, as: UTF8.self) != nil else { throw fault("is not UTF-8") }
    defer { isStarted = true }
    guard marks.count < TimeMark.limit else { throw fault("there are more than \(TimeMark.limit) marks") }
    if octets.first == UInt8(ascii: "{") { return try add(object: octets) }
    let cells = try cells(octets)
    guard cells.count > max(places.time, places.label) else { throw fault("expected a time, a comma and a label") }
    if let time = Self.times.time(Self.trimmed(cells[places.time])) { return try add(time, cells[places.label]) }
    guard !isStarted, takeHeader(cells) else { throw fault("expected \(LogTime.expected)") }
  }

  private mutating func add(_ time: Int64, _ label: [UInt8]) throws(MarkFault) {
    guard label.count <= TimeMark.labelLimit else { throw fault("a label of more than \(TimeMark.labelLimit) bytes") }
    marks.append(TimeMark(time: time, label: label))
  }

  // MARK: CSV

  private mutating func takeHeader(_ cells: [[UInt8]]) -> Bool {
    let names = cells.map { Self.trimmed($0).lowercased() }
    guard let time = names.firstIndex(where: Self.timeNames.contains),
      let label = names.firstIndex(where: Self.labelNames.contains)
    else { return false }
    places = (time, label)
    return true
  }

  private static func trimmed(_ octets: [UInt8]) -> String {
    String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .whitespaces)
  }

  /// The cells of a line: RFC 4180, on one line.
  private func cells(_ octets: ArraySlice<UInt8>) throws(MarkFault) -> [[UInt8]] {
    var cells: [[UInt8]] = []
    var rest = octets
    while true {
      var cell: [UInt8] = []
      if rest.first == UInt8(ascii: "\"") {
        rest.removeFirst()
        var isClosed = false
        while let octet = rest.popFirst() {
          if octet == UInt8(ascii: "\"") {
            isClosed = rest.first != UInt8(ascii: "\"")
            if isClosed { break }
            rest.removeFirst()
          }
          cell.append(octet)
        }
        guard isClosed else { throw fault("a quote that nobody closes") }
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { throw fault("something after a closing quote") }
      } else {
        cell = Array(rest.prefix { $0 != UInt8(ascii: ",") })
        rest = rest.dropFirst(cell.count)
      }
      cells.append(cell)
      guard rest.popFirst() != nil else { break }
    }
    return cells
  }

  // MARK: JSON

  private mutating func add(object octets: ArraySlice<UInt8>) throws(MarkFault) {
    let decoder = JSONDecoder()
    guard let members = try? decoder.decode([String: Member].self, from: Data(octets)) else {
      throw fault("is not a JSON object")
    }
    guard let time = Self.timeNames.lazy.compactMap({ members[$0] }).first.flatMap(Self.time) else {
      throw fault("expected \(LogTime.expected) as \(Self.timeNames[0])")
    }
    guard case .text(let label)? = Self.labelNames.lazy.compactMap({ members[$0] }).first else {
      throw fault("expected a text as \(Self.labelNames[0])")
    }
    try add(time, Array(label.utf8))
  }

  private static func time(_ member: Member) -> Int64? {
    switch member {
    case .text(let text): times.time(text)
    case .whole(let number): times.time(String(number))
    case .real(let number): times.time(number)
    case .other: nil
    }
  }

  /// The value of a member.
  private enum Member: Decodable {
    case text(String)
    case whole(Int64)
    case real(Double)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        self = .whole(number)
      } else if let number = try? container.decode(Double.self) {
        self = .real(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .other
      }
    }
  }

  private func fault(_ problem: String) -> MarkFault { MarkFault("line \(line): \(problem)") }
}

/// The reason why marks could not be read: one line, without the file's name. Text from the file is not in it.
package struct MarkFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people.
  package let description: String

  init(_ description: String) { self.description = description }
}
