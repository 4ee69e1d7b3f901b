import Foundation
import TestSupport
import Testing

/// The form of the CSV files. That they are UTF-8 and RFC 4180 at all is checked by reading them.
@Suite struct FileTests {
  @Test(arguments: Corpus.captures)
  func everyFileHasItsHeaderRow(_ capture: CaptureFile) throws {
    for (name, file) in try FileAnalysis.of(capture).report.files {
      // New columns come at the end only.
      #expect(file.header.starts(with: Contract.header(name)), "\(name)")
    }
  }

  @Test func filesWithoutRowsHaveTheirHeaderRowToo() throws {
    let scratch = try Scratch()
    let analysis = try FileAnalysis([
      try scratch.file("empty.pcap", PcapOctets(Corpus.capture("nginx-keepalive").url).part(0..<0)).path
    ])
    for (name, file) in analysis.report.files { #expect(file.header.starts(with: Contract.header(name)), "\(name)") }
  }

  @Test(arguments: Corpus.captures)
  func rowsAreSorted(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    for (file, column) in [
      (report.messages, "message"), (report.exchanges, "exchange"), (report.connections, "connection"),
    ] {
      #expect(file.rows.map { $0[column] } == (0..<file.rows.count).map { "\($0 + 1)" }, "\(column)")
    }
    let names = report.apis.rows.map { [Array($0["host"].utf8), Array($0["path"].utf8)] }
    for (a, b) in zip(names, names.dropFirst()) {
      #expect(a[0] == b[0] ? a[1].lexicographicallyPrecedes(b[1]) : a[0].lexicographicallyPrecedes(b[0]))
    }
  }

  @Test(arguments: Corpus.captures)
  func ledgerHasEveryClassInOrder(_ capture: CaptureFile) throws {
    let ledger = try FileAnalysis.of(capture).report.ledger
    let names = Contract.classes + Contract.figuresOfLedger + Contract.laterFiguresOfLedger
    #expect(ledger.rows.map { $0["class"] }.starts(with: names))
    for row in ledger.rows { #expect(Int(row["bytes"]).map { $0 >= 0 } == true, "\(row["class"])") }
  }

  @Test(arguments: Corpus.captures)
  func noCellStartsAFormula(_ capture: CaptureFile) throws {
    try expectNoFormula(try FileAnalysis.of(capture).report)
  }

  @Test func anotherRunWritesTheSameOctets() throws {
    for name in ["mixed-2000", "demo", "errors-aborts", "loss-reorder"] {
      let capture = try Corpus.capture(name)
      let again = try FileAnalysis([capture.path])
      let first = try FileAnalysis.of(capture)
      #expect(again.report.differences(from: first.report).isEmpty)
      #expect(again.outcome.summary == first.outcome.summary)
    }
  }

  @Test func anotherRunIntoTheSameFolderReplacesTheFiles() throws {
    let scratch = try Scratch()
    let (long, short) = (try Corpus.capture("mixed-2000"), try Corpus.capture("nginx-keepalive"))
    for capture in [long, short] { _ = try Sniffer.run([capture.path, "-o", scratch.path("report")]) }
    let folder = scratch.url.appendingPathComponent("report")
    let report = try Report(folder: folder)
    #expect(try report.differences(from: FileAnalysis.of(short).report).isEmpty)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == [".sniffer-report"] + Report.fileNames, "no temporary file is left")
  }

  /// Every cell that can come from the wire, with octets that would harm a spreadsheet, a terminal or a reader of CSV.
  @Test(arguments: [
    "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\"", "a\"b,c", ",", "'=1", "\u{ff1d}1+1", "\u{9b}31m",
    "\u{1b}[31mred", "\u{202e}txt.exe",
  ])
  func hostileCells(_ text: String) throws {
    let path = "/" + text.replacing(" ", with: "")
    let request =
      "\(text.isToken ? text : "GET") \(path) HTTP/1.1\r\nHost: \(text)\r\nContent-Type: \(text)\r\nX \(text)\r\n\r\n"
    let response =
      "HTTP/1.1 200 \(text)\r\nContent-Type: \(text)\r\nContent-Encoding: \(text)\r\nTransfer-Encoding: \(text)\r\n\r\n"
    try expectHarmless(Array(request.utf8), Array(response.utf8))
  }

  @Test func octetsThatAreNotUTF8() throws {
    let path: [UInt8] = [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]
    let request = Array("GET /".utf8) + path + Array(" HTTP/1.1\r\nHost: ".utf8) + [0xfe]
    let response = Array("HTTP/1.1 200 OK\r\nContent-Type: ".utf8) + [0x80, 0x0d, 0x00, 0x09, 0x3d]
    try expectHarmless(request + Array("\r\n\r\n".utf8), response + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
  }

  /// What starts a formula in a spreadsheet, in half and full width.
  private static let formulaStarts = Set("=+-@\t\r\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars)

  private func expectHarmless(_ request: [UInt8], _ response: [UInt8]) throws {
    let scratch = try Scratch()
    let file = try scratch.file("hostile.pcap", HandMadeCapture.octets(request, response))
    let analysis = try FileAnalysis([file.path])
    #expect(analysis.outcome.status == 0)
    #expect(!analysis.report.messages.rows.isEmpty, "the capture is about a message")
    try expectNoFormula(analysis.report)
    for scalar in analysis.outcome.output.unicodeScalars {
      #expect(scalar == "\n" || !scalar.isHarmful, "U+\(String(scalar.value, radix: 16))")
    }
  }

  private func expectNoFormula(_ report: Report) throws {
    for (name, file) in report.files {
      // Figures are our own, and can be negative; everything else might come from the wire.
      let columns = file.header.filter { column in !["_ms", "_time"].contains { column.hasSuffix($0) } }
      for cell in file.rows.flatMap({ row in columns.map { row[$0] } }) where !cell.isEmpty {
        let isFormula = cell.unicodeScalars.first.map { Self.formulaStarts.contains($0) }
        #expect(isFormula != true, "\(name): \(cell)")
        #expect(!cell.unicodeScalars.contains { $0.isHarmful }, "\(name): \(cell)")
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it controls a terminal, or turns the direction of text.
  fileprivate var isHarmful: Bool {
    properties.generalCategory == .control || (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
  }
}

extension String {
  /// Whether it can be a method (RFC 9110 §5.6.2).
  fileprivate var isToken: Bool {
    !isEmpty && utf8.allSatisfy { $0 < 0x80 && ($0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0)) }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
  }
}
