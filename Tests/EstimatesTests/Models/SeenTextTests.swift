import Estimates
import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// The lengths of texts that models make of what they see.
@Suite struct SeenTextTests {
  private func dictionary(_ fields: [(String, String)]) -> FieldDictionary {
    FieldDictionary(fields.map { WireField(name: Array($0.utf8), value: Array($1.utf8)) })
  }

  /// Foundation's own serialization is the witness.
  @Test(arguments: [
    [], [("A", "")], [("Host", "a.example"), ("Range", "bytes=0-9")],
    [("X", "\"quoted\" \\ a/b/c")], [("X", "tab\there"), ("Y", "\u{1}\u{8}\u{c}\u{1f}")], [("X", "naïve 日本 😀")],
  ])
  func jsonIsAsLongAsFoundations(_ fields: [(String, String)]) throws {
    let data = try JSONSerialization.data(
      withJSONObject: Dictionary(uniqueKeysWithValues: fields), options: .prettyPrinted)
    #expect(PrettyJSON.length(of: dictionary(fields)) == data.count, "\(String(decoding: data, as: UTF8.self))")
  }

  @Test func jsonIsAsLongAsItsFormulaSays() {
    // S = 4 + 9 + 5 + 9, n = 2.
    #expect(PrettyJSON.length(of: dictionary([("Host", "a.example"), ("Range", "bytes=0-9")])) == 27 + 11 * 2 + 2)
    // Escapes: two quotes, a backslash, a slash, a tab: one each; another control: five.
    #expect(PrettyJSON.length(of: dictionary([("X", "\"\"\\/\t\u{1}")])) == 7 + 11 + 2 + 5 + 5)
    #expect(PrettyJSON.length(of: dictionary([])) == "{\n\n}".utf8.count)
  }

  @Test func namesFoldWhateverTheirCase() {
    let folded = dictionary([("Set-Cookie", "a=1"), ("X", "y"), ("set-cookie", "b=2")])
    #expect(folded.count == 2)
    #expect(folded.value(of: "set-cookie") == Array("a=1, b=2".utf8))
    #expect(folded.textLength == 10 + 8 + 1 + 1)
    // A line that is no field line is in no dictionary.
    #expect(FieldDictionary([WireField(name: [], value: Array("junk".utf8))]).count == 0)
  }

  /// A path as sent, and the octets of `METHOD SP path SP HTTP/1.1` that a monitor makes of it.
  @Test(arguments: [
    ("/", 1), ("/a/", 2), ("/a//", 3), ("/%E6%97%A5", 4), ("/100%", 5), ("/%zz", 4), ("/%FF", 4), ("/a%2Fb", 4),
    ("*", 1),
  ])
  func pathsAreDecoded(_ path: String, _ length: Int) throws {
    let request = ModelMessages.Case(
      name: path, octets: Array("GET \(path) HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), wire: [])
    let message = try #require(try ModelMessages.message(request, isRequest: true))
    #expect(SeenRequest(message, ModelAssumptions()).pathLineLength == 3 + 1 + length + 1 + 8)
  }

  /// Content-Length as servers send it, and what `expectedContentLength` is.
  @Test(arguments: [
    ("5", 5), ("5, 5", 5), ("5, 6", -1), ("-5", -1), ("+5", -1), ("x", -1), ("", -1), ("281474976710656", -1),
    ("99999999999999999999", -1), ("007", 7),
  ])
  func expectedLengths(_ value: String, _ expected: Int) throws {
    var message = WireMessage(row: Message())
    message.fields = [WireField(name: Array("Content-Length".utf8), value: Array(value.utf8))]
    #expect(SeenResponse(message, ModelAssumptions()).expectedLength == expected)
    message.fields.append(WireField(name: Array("Transfer-Encoding".utf8), value: Array("chunked".utf8)))
    #expect(SeenResponse(message, ModelAssumptions()).expectedLength == -1)
  }
}
