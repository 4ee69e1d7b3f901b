import Foundation
import HTTPReassembly
import Testing

/// What the sources of the captures committed themselves to: the expected logs of Zeek, Arkime and Suricata.
///
/// Rows on which the two programs of the oracle itself do not agree with the source are left out (`compare`).
@Suite(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
struct WitnessConformanceTests {
  @Test func connectionsAreThoseOfZeek() throws {
    let known = try KnownDisagreements(table: "zeek-conn")
    var agreement = Agreement(title: "Connections against oracle/zeek-conn.csv")
    var all: [Disagreement] = []
    for sum in try ZeekConnections.sums(of: Corpus.oracle("zeek-conn.csv")) {
      let disagreements = sum.compare(with: try #require(Corpus.runs[sum.file]))
      agreement.add(file: sum.file, disagreements, known: known)
      all += disagreements
    }
    print(agreement.table)
    known.expectExactly(all)
  }

  @Test func bodiesAreThoseOfZeek() throws {
    let known = try KnownDisagreements(table: "zeek-http")
    var agreement = Agreement(title: "Bodies against oracle/zeek-http.csv")
    var all: [Disagreement] = []
    for row in try Corpus.oracle("zeek-http.csv") where row["compare"] == "agree" {
      let run = try #require(Corpus.runs[row["file"]])
      let disagreements = ZeekBodies.compare(row, with: run)
      agreement.add(file: row["file"], disagreements, known: known)
      all += disagreements
    }
    print(agreement.table)
    known.expectExactly(all)
  }

  @Test func payloadIsThatOfArkime() throws {
    let known = try KnownDisagreements(table: "arkime")
    var agreement = Agreement(title: "Sessions against oracle/arkime.csv")
    var all: [Disagreement] = []
    var ordinals: [[String]: Int] = [:]
    for row in try Corpus.oracle("arkime.csv") {
      let key = [row["file"], row["src"], row["dst"]]
      let ordinal = ordinals[key, default: 0]
      ordinals[key] = ordinal + 1
      guard row["compare"].hasPrefix("agree") else { continue }
      let run = try #require(Corpus.runs[row["file"]])
      let disagreements = ArkimeSessions.compare(row, ordinal, with: run)
      agreement.add(file: row["file"], disagreements, known: known)
      all += disagreements
    }
    print(agreement.table)
    known.expectExactly(all)
  }

  @Test func exchangesAreThoseOfSuricata() throws {
    let known = try KnownDisagreements(table: "suricata")
    var agreement = Agreement(title: "Checks of HTTP/1 exchanges in oracle/suricata.csv")
    var all: [Disagreement] = []
    // HTTP/2 has other oracles.
    for row in try Corpus.oracle("suricata.csv")
    where row["event_type"] == "http" && Corpus.className(of: row["file"]) != "http2" {
      let check = try JSONDecoder().decode(SuricataCheck.self, from: Data(row["match"].utf8))
      let count = check.count(in: try #require(Corpus.runs[row["file"]]))
      var disagreements: [Disagreement] = []
      if "\(count)" != row["count"] {
        disagreements.append(
          Disagreement(
            table: "suricata", file: row["file"], column: row["match"], oracle: row["count"], ours: "\(count)"))
      }
      agreement.add(file: row["file"], disagreements, known: known)
      all += disagreements
    }
    print(agreement.table)
    known.expectExactly(all)
  }
}
