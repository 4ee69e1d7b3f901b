// Runs mutants of captures, so many in all, and says what they broke: `fuzz-mutants <number> <capture> …`.

import Foundation
import TestSupport

guard CommandLine.arguments.count > 2, let total = Int(CommandLine.arguments[1]), total > 0 else {
  print("usage: fuzz-mutants <number of mutants> <capture> …")
  exit(64)
}
let paths = Array(CommandLine.arguments.dropFirst(2))
let start = Date()
var run = 0
var broken = 0
var compared = 0
var kinds: [String: Int] = [:]
var unread: [String] = []
for (index, path) in paths.enumerated() {
  guard let trial = try? MutationTrial(path: path) else {
    unread.append(path)
    continue
  }
  // What could not be read leaves its share to those after it.
  let share = (total - run + paths.count - index - 1) / (paths.count - index)
  for number in 0..<share {
    let outcome = trial.outcome(number)
    let faults = outcome.faults
    run += 1
    compared += outcome.compared
    kinds[
      MutationTrial.mutations(number).count == 1 ? MutationTrial.mutations(number)[0].rawValue : "several", default: 0] +=
      1
    guard !faults.isEmpty else { continue }
    broken += 1
    let names = MutationTrial.mutations(number).map(\.rawValue).joined(separator: " ")
    print("\(path), mutant \(number) (\(names)):")
    for fault in faults.prefix(3) { print("  \(fault)") }
  }
}
let seconds = Int(Date().timeIntervalSince(start))
print("\(run) mutants of \(paths.count - unread.count) captures, \(broken) broke something, in \(seconds) s")
print(kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
print("\(compared) messages had to be the same as the original's, and were compared")
for path in unread { print("not a capture: \(path)") }
exit(broken == 0 && run >= total ? 0 : 1)
