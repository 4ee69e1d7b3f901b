import Foundation
import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// A long host or path of an interim response is cut in its row, in a way that nothing from the wire can look like.
@Suite struct RepeatedTextTests {
  private let folder = TemporaryFolder()

  private func cells(_ kind: MessageKind, host: [UInt8], path: [UInt8], _ redaction: Redaction? = nil) throws
    -> [String]
  {
    var texts = TextPool()
    var message = Message()
    message.kind = kind
    message.host = texts.intern(host)
    message.path = texts.intern(path)
    var row = CSVRow(redaction: redaction)
    MessageRow.write(message, texts: texts, to: &row)
    var json = JSONRow(MessageRow.columns.withEndpointParts, redaction: redaction)
    MessageRow.write(message, texts: texts, to: &json)
    var sqlite = SQLiteRow(redaction: redaction)
    MessageRow.write(message, texts: texts, to: &sqlite)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.octets)) as? [String: Any])
    let fields = ["host", "path"]
    // Every format has the same text, but for the apostrophe that spreadsheets need.
    let stored = MessageRow.columns.indices.filter { fields.contains(MessageRow.columns[$0].name) }.map { column in
      guard case .text(let start, let length) = sqlite.cells[column] else { return "" }
      return String(decoding: sqlite.text[start..<start + length], as: UTF8.self)
    }
    #expect(fields.map { object[$0] as? String ?? "" } == stored)
    let line = String(decoding: row.octets, as: UTF8.self)
    for text in stored where !text.contains(",") && !text.contains("\"") { #expect(line.contains(",\(text),")) }
    return stored
  }

  private let long = [UInt8](repeating: UInt8(ascii: "p"), count: 60_000)

  @Test func onlyInterimResponsesHaveCutTexts() throws {
    let start = String(repeating: "p", count: RepeatedText.limit)
    let cut = "\(start)\\+\(60_000 - RepeatedText.limit)"
    #expect(try cells(.interim, host: long, path: long) == [cut, cut])
    let whole = String(decoding: long, as: UTF8.self)
    #expect(try cells(.request, host: long, path: long) == [whole, whole])
    #expect(try cells(.response, host: long, path: long) == [whole, whole])
  }

  @Test func atTheLimitATextIsWhole() throws {
    let limit = Array(long.prefix(RepeatedText.limit))
    #expect(
      try cells(.interim, host: limit, path: limit)
        == Array(repeating: String(decoding: limit, as: UTF8.self), count: 2))
    let beyond = limit + [UInt8(ascii: "x")]
    #expect(try cells(.interim, host: limit, path: beyond)[1].hasSuffix("p\\+1"))
  }

  /// A path that looks like a cut one has a doubled backslash; and one is cut between any two octets.
  @Test func nothingFromTheWireLooksCut() throws {
    #expect(try cells(.interim, host: [], path: Array("/a\\+7744".utf8))[1] == "/a\\\\+7744")
    let hostile = Array("=\",\\\n\u{202e}".utf8) + [0xff]
    var path: [UInt8] = []
    while path.count < 1000 { path += hostile }
    let text = try cells(.interim, host: [], path: path)[1]
    let end = "\\+\(path.count - RepeatedText.limit)"
    #expect(text.hasSuffix(end))
    #expect(
      TextEscaping.octets(Array(text.utf8.dropLast(end.utf8.count))[...]) == Array(path.prefix(RepeatedText.limit)))
  }

  /// What stands for a path is cut, so that no more of it is shown than elsewhere.
  @Test func redactedFirst() throws {
    let redaction = Redaction { _ in [1, 2, 3, 4] }
    let path = Array("/first/".utf8) + long
    #expect(try cells(.interim, host: [], path: path, redaction)[1] == "/first/~01020304")
    let segment = [UInt8(ascii: "/")] + long + Array("/x".utf8)
    let text = try cells(.interim, host: [], path: segment, redaction)[1]
    #expect(text == "/" + String(repeating: "p", count: 255) + "\\+\(segment.count - 1 + 9 - 256)")
  }
}
