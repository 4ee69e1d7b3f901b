import Foundation
import TestSupport
import Testing

/// Every stream of the captures of browsers and other programs over HTTP/2 (`captures/verify/*-h2`), octet by octet against a reader that
/// shares nothing with the program: `captures/record/check-hpack`, which decodes each field block with PyPI's hpack and with nghttp2.
@Suite(.timeLimit(.minutes(10))) struct HTTP2StreamsTests {
  private static let columns = [
    "start_line_bytes", "header_bytes", "body_bytes", "framing_bytes", "trailer_bytes", "expanded_start_line_bytes",
    "expanded_header_bytes",
  ]
  private static let folder = Corpus.folder.appendingPathComponent("verify")
  private static let names = ["chromium", "curl", "firefox", "httpx", "mitmproxy", "netlog", "okhttp", "playwright"]

  private func capture(_ name: String) -> URL {
    Self.folder.appendingPathComponent("\(name)-h2/capture.pcapng.gz")
  }

  @Test(arguments: names)
  func octetsAreThoseOfTheOtherReader(_ name: String) throws {
    let analysis = try FileAnalysis([capture(name).path])
    #expect(analysis.outcome.status == 0)
    let streams = Self.folder.appendingPathComponent("\(name)-h2/capture.streams.csv")
    let expected = try CSVFile.rows(of: streams)
    func place(_ connection: some StringProtocol, _ stream: String, _ type: String) -> String {
      "\(connection) \(stream) \(type)"
    }
    var found: [String: CSVFile.Row] = [:]
    for row in analysis.report.messages.rows where row["type"] != "interim" {
      let port = row["client"].split(separator: ":").last ?? ""
      found[place(port, row["stream"], row["type"])] = row
    }
    var compared = 0
    for row in expected {
      let what = place(row["connection"], row["stream"], row["type"])
      let removed = found.removeValue(forKey: what)
      let message = try #require(removed, "\(what)")
      for column in Self.columns { #expect(message[column] == row[column], "\(what): \(column)") }
      // What did not end on the wire is not exact, nor is what the other side did not want to the end.
      let isWhole = row["whole"] == "1" && !message["flags"].contains("stream_reset")
      #expect((message["exactness"] == "exact") == isWhole, "\(what)")
      compared += 1
    }
    #expect(found.isEmpty, "\(found.keys.sorted())")
    #expect(compared >= 64 && compared == expected.count)
    #expect(analysis.report.ledger("opaque") == 0 && analysis.report.ledger("stray") == 0)
  }

  private static let packages = PythonPackages(
    "hpack-witness", ["hpack==4.2.0", "cryptography==50.0.2"], modules: ["hpack", "cryptography"])

  /// Both decoders again.
  @Test func theDecodersAgree() throws {
    guard let python = Self.packages.python else {
      return Environment.skip("theDecodersAgree", because: Self.packages.reason)
    }
    let search = "import ctypes.util, sys; sys.exit(not ctypes.util.find_library('nghttp2'))"
    guard try Command.run(python, ["-c", search]).status == 0 else {
      return Environment.skip("theDecodersAgree", because: "libnghttp2 is not installed")
    }
    let script = Corpus.folder.appendingPathComponent("record/check-hpack").path
    let outcome = try Command.run(python, ["-B", script] + Self.names.map { capture($0).path })
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.outputLines.last?.hasSuffix("hpack and nghttp2 agree") == true)
  }
}
