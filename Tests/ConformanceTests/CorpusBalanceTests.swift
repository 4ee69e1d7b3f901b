import HTTPReassembly
import Testing

/// Every capture of the corpus runs to its end, and everything adds up.
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct CorpusBalanceTests {
  @Test func everyCaptureBalances() throws {
    #expect(Corpus.files.count >= 150)
    for file in Corpus.files {
      try #require(Corpus.runs[file]).expectBalance(file)
    }
    print("\nCorpus: \(Corpus.files.count) captures ran to their end, each with a balanced ledger.")
  }

  @Test func packetsAndOctetsAreThoseOfTheOracle() throws {
    let totals = try Corpus.oracle("totals.csv")
    #expect(Set(totals.map { $0["file"] }) == Set(Corpus.files))
    for row in totals {
      let file = row["file"]
      let run = try #require(Corpus.runs[file])
      #expect("\(run.ledger.packets)" == row["py_packets"], "\(file)")
      #expect("\(run.ledger.original)" == row["py_original_bytes"], "\(file)")
      // What was read before a cut counts, and the cut is an error.
      #expect((run.readError != nil) == row["py_note"].hasPrefix("cut"), "\(file)")
    }
  }

  @Test func totalsOfClosedTLSAreInClassTLS() throws {
    for row in try Corpus.rows(of: "MANIFEST.csv") where row["class"] == "tls-keylog" {
      let run = try #require(Corpus.runs[row["file"]])
      #expect(run.ledger[.tls] > 0, "\(row["file"])")
      #expect(run.messages.isEmpty, "\(row["file"])")
    }
  }
}
