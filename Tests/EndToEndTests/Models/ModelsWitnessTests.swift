import Foundation
import TestSupport
import Testing

/// A second opinion on every figure: tshark reads the capture, and a script that shares no code with this project cuts the
/// messages and computes the models.
@Suite struct ModelsWitnessTests {
  private static let tshark = Environment.tool("tshark")
  private static let python = Environment.tool("python3")
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("model_witness.py")
  private static let captures = [
    "apache-logio", "cookies-redirects", "curl-chunked-upload", "demo", "head-304-204-206", "mixed-2000", "nginx-gzip",
    "nginx-keepalive", "node-chunked", "swift-urlsession",
  ]

  private struct Place: Hashable {
    var client: String
    var server: String
    var type: String
    var ordinal: Int
    var model: String
  }

  @Test(
    .enabled(if: tshark != nil && python != nil, "SKIPPED: tshark or python3 is not installed"), arguments: captures)
  func everyFigureIsThatOfTheWitness(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let witness = try figures(of: capture)
    let places = try places(of: capture)
    var compared = 0
    var unknown = 0
    for row in try ModelsRun.of(capture).messages.rows where row["type"] != "interim" {
      let place = try #require(places[row["message"]])
      let expected = try #require(
        witness[
          Place(
            client: place.client, server: place.server, type: place.type, ordinal: place.ordinal, model: row["model"])],
        "the witness has no message \(row["message"])")
      guard expected != ["", "", "", ""] else {
        unknown += 1
        continue
      }
      compared += 1
      #expect(
        ModelsRun.parts.dropLast().map { row["\($0)_estimate"] } == expected,
        "message \(row["message"]), \(row["model"])")
    }
    #expect(witness.count == compared + unknown, "every message of the witness was compared")
    // br and zstd, whose length Python does not know.
    #expect(compared > 10 * unknown)
  }

  private func figures(of capture: CaptureFile) throws -> [Place: [String]] {
    let outcome = try Command.run(
      try #require(Self.python), ["-B", Self.script.path, capture.path, try #require(Self.tshark).path])
    try #require(outcome.status == 0, "\(outcome.error)")
    let rows = try CSVFile(outcome.outputOctets, lineEnd: .lineFeed).rows
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (
          Place(
            client: row["client"], server: row["server"], type: row["type"], ordinal: row.integer("ordinal"),
            model: row["model"]), [row["line"], row["header"], row["body"], row["framing"]]
        )
      })
  }

  /// Where each message of `messages.csv` stands: its connection, and which of its type it is there.
  private func places(of capture: CaptureFile) throws -> [String: Place] {
    var counts: [String: Int] = [:]
    var places: [String: Place] = [:]
    for row in try FileAnalysis.of(capture).report.messages.rows {
      let key = row["connection"] + row["type"]
      counts[key, default: 0] += 1
      places[row["message"]] = Place(
        client: row["client"], server: row["server"], type: row["type"], ordinal: counts[key] ?? 0, model: "")
    }
    return places
  }
}
