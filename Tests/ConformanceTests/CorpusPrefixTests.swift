import Testing

/// The captures of other people, cut short: nothing is left over then either.
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct CorpusPrefixTests {
  @Test func prefixesAddUp() throws {
    for file in Corpus.files {
      let whole = try #require(Corpus.runs[file]).ledger.packets
      for length in Set([1, 2, 3, 5, 8, 13, whole / 4, whole / 2, whole * 3 / 4, whole - 1]).sorted()
      where length > 0 && length < whole {
        CaptureRun(path: "\(Locations.corpus)/\(file)", limit: length)
          .expectBalance("\(file), first \(length) packets")
      }
    }
  }
}
