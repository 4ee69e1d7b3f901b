import TestSupport
import Testing

@testable import HTTPReassembly

/// Paths by the patterns that people give (docs/templates.md).
@Suite struct PathPatternsTests {
  private static func pattern(_ path: String, _ patterns: [String]) -> String? {
    PathPatterns(patterns.map { Array($0.utf8) }).pattern(for: Array(path.utf8)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static let patterns = [
    "/users/{id}", "/users/me", "/users/{id}/orders/{order}", "/files/{name}.png", "/files/{name}", "/files/a{x}.png",
    "/static/**", "/static/index.html", "/items/*/parts", "/", "/v{major}.{minor}/x",
  ]

  @Test(
    arguments: [
      ("/users/42", "/users/{id}"), ("/users/me", "/users/me"), ("/users/", nil), ("/users", nil), ("/users/42/", nil),
      ("/users/me/orders/7", "/users/{id}/orders/{order}"), ("/users/42/orders", nil),
      ("/files/x.png", "/files/{name}.png"), ("/files/.png", "/files/{name}"), ("/files/ab.png", "/files/a{x}.png"),
      ("/files/a.png", "/files/{name}.png"), ("/files/x.gif", "/files/{name}"),
      ("/static/a/b/c", "/static/**"), ("/static/index.html", "/static/index.html"), ("/static", nil),
      ("/static/", "/static/**"), ("/items/9/parts", "/items/*/parts"), ("/items//parts", nil), ("/", "/"), ("", nil),
      ("/v1.2/x", "/v{major}.{minor}/x"), ("/v1.2.3/x", "/v{major}.{minor}/x"), ("/v12/x", nil), ("/v.2/x", nil),
    ] as [(String, String?)])
  func theOneThatSaysMoreWins(_ path: String, _ expected: String?) {
    #expect(Self.pattern(path, Self.patterns) == expected, "\(path)")
    // Neither the order of the patterns nor more of them change it.
    #expect(Self.pattern(path, Self.patterns.reversed()) == expected, "\(path)")
  }

  /// The trie says what looking at one pattern after the other says.
  @Test func agreesWithEachPatternAlone() {
    var random = SeededRandom(seed: 1207)
    let words = ["a", "b", "{x}", "a{x}", "{x}b", "a{x}b", "{x}a{y}", "*"]
    for _ in 0..<RandomCases.count(300) {
      let patterns = (0..<random.number(1..<8)).map { _ in
        "/" + (0..<random.number(1..<5)).map { _ in words[random.number(0..<words.count)] }.joined(separator: "/")
      }
      for _ in 0..<20 {
        let path =
          "/"
          + (0..<random.number(1..<5)).map { _ in ["a", "b", "ab", "aab", "bac", "c", ""][random.number(0..<7)] }
          .joined(
            separator: "/")
        let fitting = patterns.filter { Self.pattern(path, [$0]) != nil }
        let found = Self.pattern(path, patterns)
        #expect(fitting.isEmpty ? found == nil : found.map(fitting.contains) == true, "\(path) in \(patterns)")
      }
    }
  }

  /// Of segments that all fit, the one with the most text wins, and among equal ones the first pattern.
  @Test func moreTextWinsAndThenTheFirst() {
    let patterns = ["/{x}a", "/b{x}", "/b{x}a", "/{x}b{y}a", "/{x}"]
    #expect(Self.pattern("/bxa", patterns) == "/b{x}a")
    #expect(Self.pattern("/xa", patterns) == "/{x}a")
    #expect(Self.pattern("/bx", patterns) == "/b{x}")
    #expect(Self.pattern("/xbya", patterns) == "/{x}b{y}a")
    #expect(Self.pattern("/x", patterns) == "/{x}")
    #expect(Self.pattern("/ba", ["/{x}a", "/b{x}"]) == "/{x}a" && Self.pattern("/ba", ["/b{x}", "/{x}a"]) == "/b{x}")
  }

  @Test func whatNoPatternFitsIsGuessedWhenThatIsAskedFor() {
    var configuration = Configuration()
    #expect(PathTemplates(configuration).isIdentity)
    configuration.pathPatterns = [Array("/users/{user}".utf8)]
    func templates(_ path: String) -> String {
      var segments = SegmentGuard(configuration)
      return String(
        decoding: PathTemplates(configuration).template(of: Array(path.utf8), host: [], &segments), as: UTF8.self)
    }
    #expect(templates("/users/42") == "/users/{user}" && templates("/orders/42") == "/orders/42")
    configuration.templatePaths = true
    #expect(templates("/users/42") == "/users/{user}" && templates("/orders/42") == "/orders/{id}")
  }
}
