import Foundation
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// Conditions of `--where`: what they mean, and what is said of wrong ones.
@Suite struct ConditionTests {
  /// The cells of a condition's columns, by the columns' names.
  private func cells(_ condition: Condition, _ named: [String: Cell]) -> [Cell] {
    var cells = [Cell](repeating: .unknown, count: condition.columns.count)
    for (name, cell) in named {
      guard let column = ConditionColumn(name), let position = condition.columns.firstIndex(of: column) else {
        continue
      }
      cells[position] = cell
    }
    return cells
  }

  private static let exchange: [String: Cell] = [
    "host": .text(Array("api.example.com".utf8)), "path": .text(Array("/v1/Users/7".utf8)), "status": .integer(404),
    "wait_ms": .number(20, millionths: 500_000), "request_bytes": .integer(0),
    "response_content_type": .text(Array("a\"b'\\".utf8)), "client": .text(Array("10.0.0.1:5000".utf8)),
  ]

  @Test(arguments: [
    (#"host == "api.example.com" && status >= 400"#, true), ("status==404", true), ("status != 404", false),
    ("status < 404 || status > 404", false), ("status <= 404 && status >= 404", true), ("!(status == 404)", false),
    ("!status == 404", false), ("!!status == 404", true), ("wait_ms == 20.5", true), ("wait_ms > 20.499999", true),
    ("wait_ms >= 20.500001", false), ("wait_ms > -1", true), ("request_bytes > -0.5", true),
    ("request_bytes <= -0.000001", false), ("request_bytes == 0", true), (#"host =~ "EXAMPLE""#, true),
    (#"path =~ "/users/""#, true), (#"path =~ "/v1/*/7""#, true), (#"path =~ "/v1/*/8""#, false),
    (#"path =~ "v1/*""#, false), (#"path =~ "/v?/users/?""#, true), (#"path == "/v1/users/7""#, false),
    (#"path < "/w""#, true), ("response_status == 200", false), ("response_status != 200", false),
    ("!(response_status == 200)", true), ("response_status == unknown", true), ("status != unknown", true),
    ("status == unknown", false), (#"response_content_type == "a\"b'\\""#, true),
    (#"response_content_type == 'a"b\'\\'"#, true), (#"client =~ "10.*:5000""#, true),
    // && binds more closely than ||.
    ("status == 404 || status == 1 && status == 2", true), ("(status == 404 || status == 1) && status == 2", false),
    ("\n\tstatus  ==\r404 ", true),
  ])
  func means(_ text: String, _ holds: Bool) throws {
    let condition = try Condition(text)
    #expect(condition.holds(cells(condition, Self.exchange)) == holds, "\(text)")
  }

  @Test(arguments: [
    ("", 0, "empty"), ("  ", 2, "empty"), ("hots == \"x\"", 0, "did you mean host?"),
    ("content_type == \"x\"", 0, "request_content_type or response_content_type"), ("status == \"x\"", 10, "number"),
    ("host == 4", 8, "quotes"), ("host == abc", 8, "quotes"), ("status =~ 4", 7, "=~"), ("status = 4", 7, "=="),
    ("status == 4 & status == 5", 12, "&&"), ("status == 4 | status == 5", 12, "||"),
    ("status == 4 status", 12, "missing"),
    ("(status == 4", 12, ")"), ("status == 4)", 11, "("), ("status", 6, "missing"), ("status ==", 9, "number"),
    ("host ==", 7, "text"), ("host == \"abc", 8, "end"), ("host == \"a\\n\"", 10, "backslash"),
    ("status > unknown", 7, "unknown"), ("status == 99999999999999999999", 10, "large"),
    ("wait_ms > 1.1234567", 10, "six"), ("wait_ms > 1.", 12, "digit"), ("wait_ms > 1.5ms", 10, "number"),
    ("status == 0x10", 10, "number"), ("$ == 1", 0, "begins"), ("&& status == 1", 0, "column"), ("ж == 1", 0, "begins"),
  ])
  func saysWhatIsWrongAndWhere(_ text: String, _ position: Int, _ words: String) {
    let error = #expect(throws: ConditionError.self) { try Condition(text) }
    #expect(error?.position == position, "\(text): \(error?.description ?? "")")
    #expect(error?.reason.contains(words) == true, "\(text): \(error?.description ?? "")")
  }

  @Test func theMarkStandsBelowThePlace() {
    let text = #"host == "日本語" && hots == "\#u{1b}[31m" && "# + String(repeating: "status == 1 && ", count: 9)
    let error = #expect(throws: ConditionError.self) { try Condition(text + "status == 1") }
    let lines = (error?.description ?? "").split(separator: "\n").map(String.init)
    #expect(lines.count == 3 && lines[0].hasPrefix("character 18: there is no column hots"))
    let before = lines.last.map { String($0.dropLast()) } ?? ""
    // Wide characters take two columns.
    #expect(DisplayWidth.of(before) == DisplayWidth.of(#"  host == "日本語" && "#))
    #expect(!(error?.description.unicodeScalars.contains("\u{1b}") ?? true))
  }

  @Test func lengthAndDepthAreBounded() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "status == 1" + String(repeating: ")", count: depth)
    }
    #expect(throws: Never.self) { try Condition(nested(Condition.depthLimit - 1)) }
    #expect(throws: ConditionError.self) { try Condition(nested(Condition.depthLimit)) }
    #expect(throws: ConditionError.self) {
      try Condition(String(repeating: "!", count: Condition.depthLimit + 1) + "status == 1")
    }
    #expect(throws: ConditionError.self) {
      try Condition("status == 1" + String(repeating: " ", count: Condition.lengthLimit))
    }
    // A long chain lies in nothing.
    let chain = [String](repeating: "status==1", count: Condition.lengthLimit / 12).joined(separator: "||")
    let condition = try Condition(chain)
    #expect(condition.columns.count == 1)
    #expect(!condition.holds([.integer(2)]) && condition.holds([.integer(1)]))
  }

  @Test func everyColumnOfExchangesAndMessagesIsKnown() throws {
    for column in ExchangeRow.columns {
      let value = column.kind == .text ? "\"x\"" : "1"
      #expect(try Condition("\(column.name) == \(value)").columns.first?.owner == .exchange)
    }
    for column in MessageRow.columns {
      let value = column.kind == .text ? "\"x\"" : "1"
      #expect(throws: Never.self) { try Condition("request_\(column.name) == \(value)") }
      #expect(throws: Never.self) { try Condition("response_\(column.name) != \(value)") }
    }
  }

  /// Conditions that are made at random, with what they mean, by another evaluation: nothing of them is read.
  @Test func randomConditionsMeanWhatTheyWereMadeOf() throws {
    var random = SeededRandom(seed: 0x77686572)
    for _ in 0..<RandomCases.count(2000) {
      let status = Int.random(in: 0...3, using: &random)
      let cell = status == 0 ? Cell.unknown : .integer(status)
      let (text, holds) = made(status, depth: 0, &random)
      let condition = try Condition(text)
      let cells = [Cell](repeating: cell, count: condition.columns.count)
      #expect(condition.holds(cells) == holds, "\(text) of \(status)")
    }
  }

  private func made(_ status: Int, depth: Int, _ random: inout SeededRandom) -> (String, Bool) {
    switch Int.random(in: 0..<(depth < 5 ? 6 : 2), using: &random) {
    case 0, 1:
      let value = Int.random(in: 1...3, using: &random)
      let operators: [(String, (Int, Int) -> Bool)] = [
        ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), (">=", { $0 >= $1 }), ("<=", { $0 <= $1 }),
        (">", { $0 > $1 }),
      ]
      let (sign, holds) = operators[Int.random(in: 0..<operators.count, using: &random)]
      return ("status \(sign) \(value)", status != 0 && holds(status, value))
    case 2:
      let (text, holds) = made(status, depth: depth + 1, &random)
      return ("!(\(text))", !holds)
    case 3:
      let (text, holds) = made(status, depth: depth + 1, &random)
      return ("(\(text))", holds)
    case 4:
      let (a, b) = (made(status, depth: depth + 1, &random), made(status, depth: depth + 1, &random))
      return ("(\(a.0)) && (\(b.0))", a.1 && b.1)
    default:
      let (a, b) = (made(status, depth: depth + 1, &random), made(status, depth: depth + 1, &random))
      return ("(\(a.0)) || (\(b.0))", a.1 || b.1)
    }
  }

  /// Anything is read to its end or refused at a place in it, and what is said of it has no control characters.
  @Test func anythingIsReadOrRefused() {
    var random = SeededRandom(seed: 0x6675_7a7a)
    let pieces = [
      "status == 1", "host =~ \"x\"", "(wait_ms < 2.5)", "!status == unknown", "&&", "||", "status", "host", "wait_ms",
      "==", "!=", "<", "<=", ">", ">=", "=~", "&&", "||", "!", "(", ")", "\"x\"", "'",
      "\"", "\\", "1", "-", "-1.5", ".", "unknown", " ", "\u{1b}", "\u{202e}", "日", "\u{0}", "&", "|", "=",
      "9999999999",
    ]
    var read = 0
    for _ in 0..<RandomCases.count(20_000) {
      let count = Int.random(in: 0..<14, using: &random)
      let text = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined(separator: Bool.random(using: &random) ? " " : "")
      do throws(ConditionError) {
        let condition = try Condition(text)
        _ = condition.holds([Cell](repeating: .unknown, count: condition.columns.count))
        read += 1
      } catch {
        #expect((0...text.unicodeScalars.count).contains(error.position))
        #expect(error.description.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      }
    }
    #expect(read > 10)
  }

  /// Against another way to match: by trying every length that a star can stand for.
  @Test func patternsMatchAsATrialOfEveryLengthSays() {
    func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == UInt8(ascii: "*") {
        return (text.startIndex...text.endIndex).contains { matches(pattern.dropFirst(), text[$0...]) }
      }
      guard let octet = text.first, first == UInt8(ascii: "?") || first == octet else { return false }
      return matches(pattern.dropFirst(), text.dropFirst())
    }
    var random = SeededRandom(seed: 0x676c_6f62)
    func word(_ letters: [Character], _ count: Int) -> String {
      String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    for _ in 0..<RandomCases.count(5000) {
      let pattern = word(["a", "b", "*", "?"], Int.random(in: 1...6, using: &random))
      let text = word(["a", "b"], Int.random(in: 0...8, using: &random))
      let whole = pattern.contains("*") || pattern.contains("?") ? pattern : "*\(pattern)*"
      #expect(
        TextPattern(pattern).matches(Array(text.utf8)) == matches(Array(whole.utf8)[...], Array(text.utf8)[...]),
        "\(pattern) \(text)")
    }
  }

  @Test func aHostilePatternTakesLittleTime() {
    let pattern = TextPattern(String(repeating: "*a", count: 500) + "b")
    #expect(!pattern.matches([UInt8](repeating: UInt8(ascii: "a"), count: 8000)))
  }
}
