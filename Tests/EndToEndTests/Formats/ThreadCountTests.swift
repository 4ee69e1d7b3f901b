import Foundation
import Testing

/// `--jobs` says how many threads help: it changes no file.
@Suite struct ThreadCountTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A capture that is long enough to be worth several threads.
  private func capture(_ kind: WorkCapture) -> [UInt8] {
    kind.octets(kind.size * (5 << 20) / kind.octets(kind.size).count)
  }

  @Test(arguments: [WorkCapture.ordinary, .holes, .connections, .overlaps])
  func filesAreTheSame(_ kind: WorkCapture) throws {
    let file = try scratch.file("long.pcap", capture(kind))
    var whole: [String: Data] = [:]
    for jobs in [1, 2, 4] {
      let outcome = try Sniffer.run([
        file.path, "--jobs", "\(jobs)", "-o", scratch.path("report"), "--format", "csv,ndjson,html", "--no-progress",
      ])
      try #require(outcome.status == 0, "\(outcome.error)")
      var files = ["summary": Data(outcome.output.utf8)]
      let folder = scratch.url.appendingPathComponent("report")
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasPrefix(".") {
        files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
      }
      if jobs == 1 { whole = files }
      #expect(files.keys.sorted() == whole.keys.sorted())
      for (name, octets) in whole { #expect(files[name] == octets, "\(name) with --jobs \(jobs)") }
    }
  }

  /// What is wrong with a capture is said, and what comes before it is in the report.
  @Test func damageIsSaid() throws {
    let file = try scratch.file("cut.pcap", capture(.ordinary).dropLast(7))
    let outcomes = try [1, 4].map { try Sniffer.run([file.path, "--jobs", "\($0)", "--no-progress"]) }
    #expect(outcomes[0].status == 1 && outcomes[1].status == 1)
    #expect(outcomes[0].error == outcomes[1].error && outcomes[0].output == outcomes[1].output)
  }
}
