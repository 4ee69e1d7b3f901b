import Testing

/// Every TCP stream of the corpus against the oracle's reassembler.
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct StreamConformanceTests {
  @Test func streamsAreThoseOfTheOracle() throws {
    let known = try KnownDisagreements(table: "streams")
    let oracle = try Corpus.oracleByFile("streams.csv")
    var agreement = Agreement(
      title: "Pairs of endpoints, and one row of octet classes a capture, against oracle/streams.csv")
    var all: [Disagreement] = []
    for file in Corpus.files {
      let run = try #require(Corpus.runs[file])
      for disagreements in StreamComparison(file: file, oracle: oracle[file] ?? [], run: run).rows {
        agreement.add(file: file, disagreements, known: known)
        all += disagreements
      }
    }
    print(agreement.table)
    known.expectExactly(all)
    #expect(oracle.values.reduce(0) { $0 + $1.count } > 1000)
  }
}
