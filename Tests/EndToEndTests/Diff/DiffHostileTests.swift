import Foundation
import TestSupport
import Testing

/// Names that would be something else to a terminal, a spreadsheet, a page or a comment.
@Suite struct DiffHostileTests {
  private static let paths = [
    "/a|b|c", "/`x`<img/src=x/onerror=alert(1)>", "/@octocat", "/[x](http://evil.example/)", "/a\\", "/\u{1b}[31mred",
    "/<!--", "/http://evil.example/", "/www.evil.example", "/**b**", "/\"q\",x", "/\u{202e}fdp", "/&lt;b&gt;", "/~~x~~",
    "/:+1:", "/#1",
  ]
  private static let reader = PythonPackages(
    "markdown-witness", ["markdown-it-py==4.3.0"], modules: ["markdown_it"])
  private let scratch: Scratch
  private let reports: [String]

  init() throws {
    scratch = try Scratch()
    var reports: [String] = []
    for (name, paths) in [("one", Self.paths.prefix(1)), ("all", Self.paths[...])] {
      var captures: [String] = []
      for (index, path) in paths.enumerated() {
        let octets = HandMadeCapture.octets(
          request: "GET \(path) HTTP/1.1\r\nHost: =cmd|calc\r\n\r\n", response: "HTTP/1.1 204 No Content\r\n\r\n")
        captures.append(try scratch.file("\(name)-\(index).pcap", octets).path)
      }
      let folder = scratch.path(name)
      for (index, capture) in captures.enumerated() {
        let part = "\(folder)-\(index)"
        let outcome = try Sniffer.run([capture, "-q", "-o", part])
        try #require(outcome.status == 0, "\(outcome.error)")
      }
      // One report of them all: the connections are the same, so that one analysis would take them for one.
      let parts = try captures.indices.map { index in
        try String(contentsOfFile: "\(folder)-\(index)/apis.csv", encoding: .utf8)
      }
      let header = try #require(parts.first?.components(separatedBy: "\r\n").first)
      let rows = parts.flatMap { $0.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty } }
      reports.append(
        try scratch.file("\(name).csv", Array(([header] + rows).map { $0 + "\r\n" }.joined().utf8)).path)
    }
    self.reports = reports
  }

  @Test(arguments: ["table", "csv", "json", "markdown", "junit", "github"])
  func nothingReachesTheReader(_ format: String) throws {
    let outcome = try Sniffer.run(["diff", reports[0], reports[1], "--format", format])
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    #expect(
      !outcome.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\r" || $0.value == 0x202e })
    guard format == "csv" else { return }
    let file = try CSVFile(outcome.outputOctets)
    #expect(file.rows.count == Self.paths.count)
    // As in the report that it was read from: whoever reads both finds the same names.
    let source = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: reports[1]))))
    #expect(Set(file.rows.map { $0["path"] }) == Set(source.rows.map { $0["path"] }))
    #expect(file.rows.allSatisfy { $0["host"] == "'=cmd|calc" || $0["host"] == "" }, "\(file.rows.map { $0["host"] })")
  }

  /// A reader of Markdown that others wrote finds one table, with nothing in its cells but text and code.
  @Test(.enabled(if: reader.python != nil, "\(reader.reason)"))
  func markdownIsATableOfTexts() throws {
    let python = try #require(Self.reader.python)
    let outcome = try Sniffer.run(["diff", reports[0], reports[1], "--format", "markdown", "--threshold", "5%"])
    #expect(outcome.status == 2)
    let file = try scratch.file("comment.md", outcome.outputOctets)
    let read = try Command.run(python, ["-c", Self.script, file.path])
    #expect(
      read.status == 0 && read.output == "\(Self.paths.count - 1) rows of 11 cells\n", "\(read.output)\(read.error)"
    )
  }

  private static let script = #"""
    import sys
    from markdown_it import MarkdownIt
    reader = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
    rows, cells, inside = 0, set(), 0
    allowed = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
    for token in reader.parse(open(sys.argv[1], encoding="utf-8").read()):
        if token.type in ("html_block", "code_block", "fence", "blockquote_open", "bullet_list_open"): sys.exit("found " + token.type)
        if token.type == "tr_open": rows, inside = rows + 1, 0
        if token.type in ("td_open", "th_open"): inside += 1
        if token.type == "tr_close": cells.add(inside)
        for child in token.children or []:
            if child.type not in allowed: sys.exit("found %s: %s" % (child.type, child.content))
            if child.type == "text" and any(mark in child.content for mark in ("@", "evil", "cmd", "<b")): sys.exit("outside of code: " + child.content)
    # Without the header row and the total.
    print("%d rows of %s cells" % (rows - 2, " ".join(map(str, sorted(cells)))))
    """#
}
