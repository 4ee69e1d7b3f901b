import Testing

@testable import Reports

@Suite struct NamePatternTests {
  private func matches(_ pattern: String, _ name: String, ignoresCase: Bool = false) -> Bool {
    NamePattern(pattern, ignoresCase: ignoresCase).matches(Array(name.utf8))
  }

  @Test func starsStandForWhatTheySay() {
    let matching = [
      ("/a", "/a"), ("/*", "/a"), ("/*", "/"), ("/*/x", "/abc/x"), ("/**", "/a/b/c"), ("**", ""), ("**", "/a/b"),
      ("*", ""), ("/**/x", "/a/b/x"), ("/a?c", "/abc"), ("/a*b*c", "/a--b-c"), ("/\\*", "/*"), ("/\\a", "/a"),
      ("*.example.com", "api.example.com"), ("*.example.com*", "api.example.com:8080"), ("/users/{id}", "/users/{id}"),
      ("/***", "/a/b"), ("/a\\", "/a\\"), ("/*ab", "/aab"),
    ]
    for (pattern, name) in matching { #expect(matches(pattern, name), "\(pattern) \(name)") }
    let other = [
      ("/a", "/ab"), ("/a", "/"), ("/*", "/a/b"), ("/*/x", "/a/b/x"), ("/**/x", "/x"), ("/a?c", "/a/c"), ("", "/"),
      ("/\\*", "/a"), ("*.example.com", "example.com"), ("*.example.com", "api.example.com.evil"), ("/A", "/a"),
      ("*.example.com", "a.example.com:80"), ("?", ""),
    ]
    for (pattern, name) in other { #expect(!matches(pattern, name), "\(pattern) \(name)") }
    #expect(matches("API.*", "api.Example", ignoresCase: true) && !matches("API", "apj", ignoresCase: true))
  }

  /// A matcher that tries every way to divide a name among stars would never end.
  @Test func manyStarsTakeNoLonger() {
    let pattern = String(repeating: "*a", count: 50) + "b"
    #expect(!matches(pattern, String(repeating: "a", count: 2000)))
  }
}
