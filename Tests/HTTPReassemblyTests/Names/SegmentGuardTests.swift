import TestSupport
import Testing

@testable import HTTPReassembly

/// Segments with many values: the first ones are told apart, further ones are one, and no path changes its API.
@Suite struct SegmentGuardTests {
  private func segments(limit: Int) -> SegmentGuard {
    var configuration = Configuration()
    configuration.templatePaths = true
    configuration.segmentValueLimit = limit
    return SegmentGuard(configuration)
  }

  private func fold(_ path: String, of host: String = "a.example", _ segments: inout SegmentGuard) -> String {
    String(decoding: segments.fold(Array(path.utf8), of: Array(host.utf8)), as: UTF8.self)
  }

  @Test func furtherValuesAreOne() {
    var segments = segments(limit: 3)
    let words = ["one", "two", "three", "four", "five", "one", "four"]
    let folded = words.map { fold("/tags/\($0)/posts", &segments) }
    #expect(
      folded == [
        "/tags/one/posts", "/tags/two/posts", "/tags/three/posts", "/tags/{…}/posts", "/tags/{…}/posts",
        "/tags/one/posts", "/tags/{…}/posts",
      ])
    #expect(segments.folded == [FoldedSegment(host: Array("a.example".utf8), path: Array("/tags/{…}".utf8))])
  }

  /// What is behind a folded segment has one parent; other parents and other hosts have values of their own.
  @Test func parentsAreApart() {
    var segments = segments(limit: 2)
    for path in ["/a/x", "/a/y", "/a/z"] { _ = fold(path, &segments) }
    #expect(fold("/b/z", &segments) == "/b/z")
    // The third first segment.
    #expect(fold("/c/z", &segments) == "/{…}/z" && fold("/d/y", &segments) == "/{…}/y")
    #expect(fold("/e/x", &segments) == "/{…}/{…}")
    #expect(fold("/c/z", of: "b.example", &segments) == "/c/z")
    #expect(segments.folded.map { String(decoding: $0.path, as: UTF8.self) } == ["/a/{…}", "/{…}", "/{…}/{…}"])
  }

  @Test func placeholdersAndEmptySegmentsAreNoValues() {
    var segments = segments(limit: 1)
    #expect(fold("/a/{id}", &segments) == "/a/{id}" && fold("/a/{id}.png", &segments) == "/a/{id}.png")
    #expect(fold("/a//x/", &segments) == "/a//x/" && fold("/", &segments) == "/" && fold("", &segments) == "")
    #expect(fold("*", &segments) == "{…}")
  }

  @Test func withoutALimitOrTemplatesNothingIsFolded() {
    var unlimited = segments(limit: 0)
    var without = SegmentGuard(Configuration())
    for number in 0..<1000 {
      #expect(fold("/\(number)", &unlimited) == "/\(number)" && fold("/\(number)", &without) == "/\(number)")
    }
    #expect(unlimited.folded.isEmpty && unlimited.memory == 0)
  }

  /// However many values there are, memory is bounded, and what was once told apart stays so.
  @Test func memoryIsBounded() {
    var segments = segments(limit: 200)
    var random = SeededRandom(seed: 21)
    var known: [String: String] = [:]
    for _ in 0..<60_000 {
      let path = "/\(Int.random(in: 0..<150, using: &random))/\(Int.random(in: 0..<4000, using: &random))/x"
      let folded = fold(path, &segments)
      #expect(known.updateValue(folded, forKey: path).map { $0 == folded } ?? true)
    }
    #expect(segments.memory < 16 << 20 && segments.folded.count == SegmentGuard.nameLimit)
  }

  /// Of a path with very many segments the first ones are looked at, and the rest is one.
  @Test func theRestOfALongPathIsOneSegment() {
    var segments = segments(limit: 1)
    let start = String(repeating: "/a", count: PathTemplate.segmentLimit - 1)
    let rest = String(repeating: "/b", count: 1000)
    #expect(fold(start + rest, &segments) == start + rest)
    let memory = segments.memory
    #expect(fold(start + "/c" + rest, &segments) == start + "/{…}" && fold(start + rest, &segments) == start + rest)
    #expect(segments.memory < memory + 1000)
  }

  /// Rows and totals agree on the paths of APIs, also those of messages that are not final.
  @Test func rowsHaveThePathsOfTheirAPIs() {
    var dialogue = Dialogue.opened()
    for number in 0..<12 {
      dialogue.send(.client, HTTP.get("/tags/word-\(Character(Unicode.Scalar(UInt8(97 + number % 8))))"))
      dialogue.send(.server, HTTP.ok("hello"))
    }
    var configuration = Configuration()
    configuration.templatePaths = true
    configuration.segmentValueLimit = 5
    let analysis = Analysis(dialogue.packets(), configuration: configuration)
    #expect(analysis.violations == [])
    #expect(analysis.totals.apis.count == 6 && analysis.totals.foldedSegments.count == 1)
    let folded = analysis.totals.apis.first { analysis.totals.texts.string($0.path) == "/tags/{…}" }
    // f, g and h.
    #expect(folded?.requests == 3 && folded?.responses == 3)
  }
}
