import Foundation
import GRDB
import TestSupport
import Testing

@testable import Estimates

@Suite("Logs with random damage")
struct LogMutationTests {
  private static let rounds = RandomCases.count(2_000)

  @Test(
    "a damaged log is read or refused in one line, and never crashes the reader",
    arguments: [
      "monitor.csv", "chrome.har", "firefox.har", "safari.har", "charles.har", "proxyman.har", "other.har",
      "mitmproxy.har", "task_metrics.json", "curl.ndjson", "chrome-netlog.json", "okhttp.csv", "sqlite",
    ])
  func mutations(name: String) throws {
    let folder = try LogFolder()
    let original: [UInt8]
    if name == "sqlite" {
      let path = folder.path("original")
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction {
        try $0.execute(
          sql: "PRAGMA page_size = 512; VACUUM; CREATE TABLE t (\(SQLiteLogTests.columns)); INSERT INTO t VALUES "
            + (1...40).map { "('h', '/\($0)', 'request', 1772359200, \($0), 2, 3, 4)" }.joined(separator: ", "))
      }
      try queue.close()
      original = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } else {
      original = Array(try Data(contentsOf: URL(fileURLWithPath: LogFolder.fixture(name))))
    }
    #expect(try !LogReader().read(folder.write(original)).entries.isEmpty)

    var random = SeededRandom(seed: 2026)
    var refused = 0
    for round in 0..<Self.rounds {
      let damaged = Self.damage(original, &random)
      let path = try folder.write(damaged)
      do {
        let log = try LogReader().read(path)
        #expect(!log.entries.isEmpty, "round \(round)")
        #expect(
          log.entries.allSatisfy { !$0.host.isEmpty && ($0.length ?? 0).magnitude <= 1 << 41 }, "round \(round)")
      } catch {
        refused += 1
        #expect(error.description.hasPrefix("\(path): ") && error.description.count < 2_000, "round \(round): \(error)")
      }
    }
    // Both ends are reached: damage that matters, and damage that does not.
    #expect(refused > Self.rounds / 20 && refused < Self.rounds)
  }

  /// Up to four changes: an octet, a piece left out, doubled or replaced by what formats mind.
  private static func damage(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    let words = [
      "\"", ",", "\n", "\r", "\0", "-1", "null", "{", "}", "[", "]", "1e999", "99999999999999999999", "\\u0000",
      "\u{feff}",
      "NaN", "\\ud800", "://", "é", "9223372036854775807", "-9223372036854775808",
    ]
    var octets = original
    for _ in 0...random.number(0..<4) where !octets.isEmpty {
      let position = random.number(0..<octets.count)
      let end = min(octets.count, position + random.number(1..<40))
      switch random.number(0..<5) {
      case 0: octets[position] = UInt8(random.number(0..<256))
      case 1: octets.removeSubrange(position..<end)
      case 2: octets.insert(contentsOf: octets[position..<end], at: position)
      case 3: octets.replaceSubrange(position..<end, with: Array(words[random.number(0..<words.count)].utf8))
      default: if random.chance(0.2) { octets.removeLast(octets.count - position) }
      }
    }
    return octets
  }
}
