import TestSupport
import Testing

/// Every message of the corpus against a reassembler and parser that shares no code with this one.
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct MessageConformanceTests {
  @Test func messagesAreThoseOfTheOracle() throws {
    let known = try KnownDisagreements(table: "messages")
    let oracle = try Corpus.oracleByFile("messages.csv")
    var agreement = Agreement(title: "Messages against oracle/messages.csv")
    var all: [Disagreement] = []
    var insideTLS: [String: [CSVFile.Row]] = [:]
    for file in Corpus.files {
      let run = try #require(Corpus.runs[file])
      let rows = oracle[file] ?? []
      insideTLS[Corpus.className(of: file), default: []] += rows.filter(\.wasInsideTLS)
      let comparison = MessageComparison(file: file, oracle: rows.filter { !$0.wasInsideTLS }, run: run)
      agreement.add(file: file, rows: 0, equal: 0, listed: 0)
      for (_, disagreements) in comparison.rows {
        agreement.add(file: file, disagreements, known: known)
        all += disagreements
      }
      all += comparison.additional
    }
    for (name, rows) in insideTLS where !rows.isEmpty {
      // One rule a class: TLS is not opened, so none of them can be there.
      let rule = Disagreement(
        table: "messages", file: "\(name)/*", source: "decrypted-*", destination: "decrypted-*", ordinal: "*",
        column: "row", oracle: "\(rows.count)", ours: "0")
      all.append(rule)
      agreement.add(file: rows[0]["file"], rows: rows.count, equal: 0, listed: known.contains(rule) ? rows.count : 0)
    }
    print(agreement.table)
    known.expectExactly(all)
    #expect(oracle.values.reduce(0) { $0 + $1.count } > 3000)
  }
}
