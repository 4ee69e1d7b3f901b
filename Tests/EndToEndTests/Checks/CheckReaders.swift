import Foundation
import Testing

/// Readers that others wrote, of what `budget` and `diff` print for CI systems.
enum CheckReaders {
  static let packages = PythonPackages(
    "check-readers", ["junitparser==5.0.3", "markdown-it-py==4.3.0"], modules: ["junitparser", "markdown_it"])

  /// What a reader says of a document.
  private static func read(_ script: String, _ document: Outcome) throws -> [String] {
    let scratch = try Scratch()
    let file = try scratch.file("document", document.outputOctets)
    let outcome = try Command.run(try #require(packages.python), ["-c", script, file.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    return outcome.outputLines
  }

  /// The suite's counts, and then a line for each test case: what became of it, its group and its name. Elements and attributes are held
  /// against what the schemas of Jenkins and others have in common.
  static func junit(_ document: Outcome) throws -> [String] {
    try read(
      #"""
      import sys, xml.etree.ElementTree as ET
      from junitparser import JUnitXml, Failure, Error, Skipped
      root = ET.parse(sys.argv[1]).getroot()
      allowed = {
          "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
          "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase", "system-out"}),
          "testcase": ({"name", "classname"}, {"failure", "error", "skipped"}),
          "failure": ({"message", "type"}, set()), "error": ({"message", "type"}, set()), "skipped": ({"message"}, set()),
          "system-out": (set(), set())}
      def check(element):
          attributes, children = allowed[element.tag]
          assert set(element.attrib) == attributes, (element.tag, element.attrib)
          for child in element:
              assert child.tag in children, (element.tag, child.tag)
              check(child)
      assert root.tag == "testsuites"
      check(root)
      document = JUnitXml.fromfile(sys.argv[1])
      for suite in document:
          cases = list(suite)
          kinds = [type(case.result[0]) if case.result else None for case in cases]
          assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
              len(cases), kinds.count(Failure), kinds.count(Error), kinds.count(Skipped))
          assert (document.tests, document.failures, document.errors) == (suite.tests, suite.failures, suite.errors)
          print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped)
          for case, kind in zip(cases, kinds):
              print(kind.__name__ if kind else "passed", case.classname, case.name, sep="\t")
      """#, document)
  }

  /// The rows of the one table, cells separated by tabs. Nothing from the wire is anything but code: no link, image, mention or HTML.
  static func markdown(_ document: Outcome) throws -> [String] {
    try read(
      #"""
      import sys
      from markdown_it import MarkdownIt
      reader = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
      tokens = reader.parse(open(sys.argv[1], encoding="utf-8", newline="").read())
      row = None
      for token in tokens:
          if token.type in ("html_block", "code_block", "fence", "blockquote_open", "hr"): sys.exit("found " + token.type)
          if token.type == "tr_open": row = []
          if token.type == "tr_close": print(*row, sep="\t"); row = None
          for child in token.children or []:
              if child.type not in ("text", "code_inline", "strong_open", "strong_close", "softbreak"):
                  sys.exit("found %s: %s" % (child.type, child.content))
              if child.type == "text" and any(mark in child.content for mark in ("@", "evil", "cmd", "<b", "http:")):
                  sys.exit("outside of code: " + child.content)
          if row is not None and token.type == "inline": row.append("".join(child.content for child in token.children))
      """#, document)
  }

  /// Annotations as GitHub's runner reads lines: the level, the properties, the message.
  static func annotations(_ document: Outcome) throws -> [(
    level: String, properties: [String: String], message: String
  )] {
    func unescaped(_ text: String, _ escapes: [(String, String)]) -> String {
      escapes.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
    // In this order: a percent sign that was escaped begins no other escape.
    let data = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
    return try document.outputLines.map { line in
      try #require(line.hasPrefix("::"), "\(line)")
      let end = try #require(line.range(of: "::", range: line.index(line.startIndex, offsetBy: 2)..<line.endIndex))
      let head = line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound].split(separator: " ", maxSplits: 1)
      var properties: [String: String] = [:]
      for pair in try #require(head.last).split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        try #require(parts.count == 2, "\(line)")
        properties[parts[0]] = unescaped(parts[1], [("%3A", ":"), ("%2C", ",")] + data)
      }
      return (String(head[0]), properties, unescaped(String(line[end.upperBound...]), data))
    }
  }
}
