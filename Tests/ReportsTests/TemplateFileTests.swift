import Testing

@testable import Reports

@Suite struct TemplateFileTests {
  private func patterns(_ text: String) throws -> [String] {
    try TemplateFile.patterns(in: text).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aLineIsAPattern() throws {
    #expect(try patterns("# paths\n/users/{id}\r\n\n  /static/**  \n") == ["/users/{id}", "/static/**"])
  }

  @Test(arguments: [
    ("openapi: 3.1.0\npaths:\n  /users/{id}: {}\n  /users: {}\n", ["/users/{id}", "/users"]),
    ("servers:\n  - url: https://api.example.com/v1/\npaths:\n  /a/{b}: {get: {}}\n", ["/v1/a/{b}"]),
    ("servers:\n  - url: /v2\npaths:\n  /a: {}\n", ["/v2/a"]),
    ("swagger: '2.0'\nbasePath: /api\npaths:\n  /a: {}\n  x-note: 1\n", ["/api/a"]),
    (#"{"openapi": "3.0.0", "servers": [{"url": "https://h"}], "paths": {"/a": {}, "/b/{c}": {}}}"#, ["/a", "/b/{c}"]),
  ])
  func aDescriptionHasPaths(_ text: String, _ expected: [String]) throws {
    #expect(try patterns(text) == expected)
  }

  @Test(arguments: [
    ("", "has no patterns"), ("# nothing\n", "has no patterns"),
    ("openapi: 3.1.0\npaths: {}\n", "line 1: a pattern begins"),
    ("/a\nusers/{id}\n", "line 2: a pattern begins with a slash"), ("[1, 2", "line 1: a pattern begins"),
  ])
  func whatIsNoneIsSaid(_ text: String, _ part: String) {
    let error = #expect(throws: TemplateFileError.self) { try patterns(text) }
    #expect(error?.description.hasPrefix(part) == true, "\(String(describing: error))")
  }
}
