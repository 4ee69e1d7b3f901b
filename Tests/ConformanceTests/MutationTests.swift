import Foundation
import TestSupport
import Testing

/// Every capture of this repository and of the corpus, changed in every way: the ledger balances after each packet, and
/// what loses nothing changes no message. `make mutants` runs far more of them.
///
/// `SNIFFER_MUTANTS` multiplies the number of mutants.
@Suite struct MutationTests {
  private static let multiplier =
    ProcessInfo.processInfo.environment["SNIFFER_MUTANTS"].flatMap { Int($0) } ?? 1

  private static let own: [String] = ((try? Locations.captureNames) ?? []).map { "\(Locations.captures)/\($0)" }

  /// Each kind of change once, and two mixtures.
  private static let mutantsOfOwn = Mutation.allCases.count + 2

  @Test func thereAreEnoughCaptures() { #expect(Self.own.count * Self.mutantsOfOwn >= 500) }

  @Test(arguments: own)
  func mutantsKeepThePromises(_ path: String) throws {
    let trial = try MutationTrial(path: path)
    var compared = 0
    // Where not all are tried, four captures in a row have each kind.
    let first = try #require(Self.own.firstIndex(of: path))
    for number in RandomCases.seeds(0..<Self.mutantsOfOwn * Self.multiplier, from: first) {
      let outcome = trial.outcome(number)
      #expect(outcome.faults == [], "mutant \(number): \(MutationTrial.mutations(number))")
      compared += outcome.compared
    }
    if path.hasSuffix("/nginx-keepalive.pcap") { #expect(compared > 0, "nothing was compared") }
  }

  /// Three mutants of each, of other kinds for each; three of four have one where not all are tried.
  @Test(.enabled(if: Locations.hasCorpus, "\(Locations.noCorpus)"))
  func mutantsOfTheCorpusKeepThePromises() {
    for (index, file) in Corpus.files.enumerated() {
      // Some are damaged on purpose, and are no capture.
      let numbers = RandomCases.seeds(index * 3..<(index + Self.multiplier) * 3)
      guard !numbers.isEmpty, let trial = try? MutationTrial(path: "\(Locations.corpus)/\(file)") else { continue }
      for number in numbers {
        let outcome = trial.outcome(number)
        #expect(outcome.faults == [], "\(file), mutant \(number): \(MutationTrial.mutations(number))")
      }
    }
  }
}
