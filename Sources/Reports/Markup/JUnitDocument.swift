/// Results as JUnit XML for CI systems: one suite with a test case for each check.
///
/// It uses only elements that Jenkins, GitLab and GitHub's readers all know: `testsuites`, `testsuite`, `testcase`, `failure`,
/// `error`, `skipped` and `system-out`.
struct JUnitDocument {
  /// The outcome of a check.
  enum Outcome {
    case passed
    /// A limit was exceeded: a short line, and the whole text.
    case failed(message: String, details: String)
    /// There was nothing to check, which is an error.
    case broken(message: String)
    /// There was nothing to check.
    case skipped(message: String)
  }

  /// One check.
  struct Case {
    /// Its group: readers group by it.
    let group: String
    /// Its name.
    let name: String
    let outcome: Outcome
  }

  /// The largest number of test cases of a document: readers hold all of it.
  static let caseLimit = 10_000

  /// The name of the suite.
  let name: String
  /// A note below the cases; empty for none.
  let note: String
  private let cases: [Case]
  private let leftOut: Int

  /// A document of some cases. Beyond `caseLimit`, passed cases are left out first.
  init(name: String, cases: [Case], note: String = "") {
    self.name = name
    self.note = note
    leftOut = max(cases.count - Self.caseLimit, 0)
    guard leftOut > 0 else {
      self.cases = cases
      return
    }
    let others = cases.filter { !$0.outcome.isPassed }
    self.cases = Array((others + cases.filter(\.outcome.isPassed)).prefix(Self.caseLimit))
  }

  /// The document; ends with a line break.
  var text: String {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let errors = cases.count { if case .broken = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    let counts = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\(Self.attribute(name)) \(counts)>",
      "  <testsuite name=\(Self.attribute(name)) \(counts) skipped=\"\(skipped)\">",
    ]
    for item in cases { lines += Self.lines(item) }
    var note = note
    if leftOut > 0 { note += (note.isEmpty ? "" : "\n") + "\(Numerals.grouped(leftOut)) cases are left out" }
    if !note.isEmpty { lines.append("    <system-out>\(Self.escaped(note))</system-out>") }
    lines += ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ item: Case) -> [String] {
    let head = "    <testcase classname=\(attribute(item.group)) name=\(attribute(item.name))"
    switch item.outcome {
    case .passed: return [head + "/>"]
    case .failed(let message, let details):
      return [
        head + ">",
        "      <failure message=\(attribute(message)) type=\"exceeded\">\(escaped(details))</failure>",
        "    </testcase>",
      ]
    case .broken(let message):
      return [head + ">", "      <error message=\(attribute(message)) type=\"unmatched\"/>", "    </testcase>"]
    case .skipped(let message):
      return [head + ">", "      <skipped message=\(attribute(message))/>", "    </testcase>"]
    }
  }

  private static func attribute(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// A text with XML's escapes. Characters that XML 1.0 does not allow, not even as references, become `\xNN`, as in other
  /// reports.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r":
        // As references they also survive in attributes.
        result += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xfffe || scalar.value == 0xffff:
        for octet in String(scalar).utf8 { result += (octet < 0x10 ? "\\x0" : "\\x") + String(octet, radix: 16) }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension JUnitDocument.Outcome {
  fileprivate var isPassed: Bool { if case .passed = self { true } else { false } }
}
