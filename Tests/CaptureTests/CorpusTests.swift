import Capture
import Foundation
import Testing

/// Packets and octets of real captures, against totals that another program counted.
@Suite struct CorpusTests {
  private static let root =
    ProcessInfo.processInfo.environment["SNIFFER_CORPUS"]
    ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/corpus").standardized.path
  private static let totalsPath = root + "/oracle/totals.csv"

  @Test(.enabled(if: FileManager.default.fileExists(atPath: totalsPath), "no corpus at \(root); set SNIFFER_CORPUS"))
  func countsAreThoseOfTheOracle() throws {
    let lines = try String(contentsOfFile: Self.totalsPath, encoding: .utf8).split(whereSeparator: \.isNewline)
    let header = fields(lines[0])
    var packets = 0
    for line in lines.dropFirst() {
      let row = Dictionary(uniqueKeysWithValues: zip(header, fields(line)))
      let file = try #require(row["file"])
      let reading = Reading(path: "\(Self.root)/\(file)")
      #expect(String(reading.packets.count) == row["py_packets"], "\(file)")
      #expect(String(reading.packets.reduce(0) { $0 + $1.octets.count }) == row["py_captured_bytes"], "\(file)")
      #expect(String(reading.packets.reduce(0) { $0 + $1.originalLength }) == row["py_original_bytes"], "\(file)")
      let linkTypes = Set(reading.packets.map(\.linkType.rawValue)).sorted().map(String.init)
      #expect(linkTypes.joined(separator: " ") == row["py_linktypes"], "\(file)")
      let isCut = row["py_note"]?.hasPrefix("cut") == true
      #expect((reading.error == nil) == !isCut, "\(file): \(reading.error?.description ?? "")")
      packets += reading.packets.count
    }
    #expect(lines.count > 100)
    #expect(packets > 5000)
  }

  /// The fields of a CSV line; quoted ones have no quotes inside in this file.
  private func fields(_ line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields
  }
}
