import Foundation
import Testing

/// `sniffer CAPTURE --partial FILE` and `sniffer merge`, as a user runs them.
@Suite struct MergeCommandTests {
  private let scratch: Scratch
  private static let formats = "csv,ndjson,parquet,html"
  private static let timeout = ["--idle-timeout", "0.3"]

  init() throws { scratch = try Scratch() }

  /// A capture in three files that follow one another.
  private func pieces(_ name: String) throws -> [String] {
    let octets = try PcapOctets(Corpus.capture(name).url)
    let third = octets.records.count / 3
    let edges = [0, third, 2 * third, octets.records.count]
    return try zip(edges, edges.dropFirst()).enumerated().map { index, edge in
      try scratch.file("\(name)-\(index).pcap", octets.part(edge.0..<edge.1)).path
    }
  }

  private func partials(_ captures: [String], _ options: [String]) throws -> [String] {
    try captures.map { capture in
      let outcome = try Sniffer.run([capture, "--partial", capture + ".partial", "--no-progress"] + options)
      try #require(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.hasPrefix("wrote \(capture).partial: 1 capture, "), "\(outcome.output)")
      return capture + ".partial"
    }
  }

  private func files(_ folder: String) throws -> [String: Data] {
    let folder = scratch.url.appendingPathComponent(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: folder.appendingPathComponent($1)) }
  }

  /// A capture is one of a kind, and its name is easily given twice. A partial may be made anew.
  @Test func otherFilesStay() throws {
    let capture = try pieces("nginx-keepalive")[0]
    let partial = try partials([capture], [])[0]
    let octets = try Data(contentsOf: URL(fileURLWithPath: capture))
    let (link, pipe) = (scratch.path("link"), scratch.path("pipe"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: partial)
    try #require(try Command.shell("mkfifo \"$1\"", [pipe]).status == 0)
    for arguments in [[capture], ["merge", partial]] {
      for target in [capture, link, pipe] {
        let outcome = try Sniffer.run(arguments + ["--partial", target])
        #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.error)")
        #expect(outcome.error.hasPrefix("sniffer: \(target): cannot create"), "\(outcome.error)")
      }
      #expect(try Sniffer.run(arguments + ["--partial", partial, "-q"]).status == 0)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: capture)) == octets)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == partial)
  }

  /// Every file and the summary, in any order and grouping of the partials.
  @Test(arguments: ["nginx-keepalive", "cookies-redirects", "pipelining", "node-chunked", "dns-names"])
  func reportIsThatOfOneRun(_ name: String) throws {
    let captures = try pieces(name)
    let whole = try Sniffer.run(
      captures + ["-o", scratch.path("whole"), "--format", Self.formats, "--no-progress"] + Self.timeout)
    #expect(whole.status == 0, "\(whole.error)")
    let partials = try partials(captures, Self.timeout)
    let joined = try Sniffer.run(["merge", partials[2], partials[0], "--partial", scratch.path("two.partial")])
    #expect(
      joined.status == 0 && joined.output == "wrote \(scratch.path("two.partial")): 2 captures\n", "\(joined.error)")
    for (index, order) in [
      partials, partials.reversed(), [partials[1], scratch.path("two.partial")],
    ].enumerated() {
      let folder = "merged-\(index)"
      let merged = try Sniffer.run(
        ["merge"] + order + ["-o", scratch.path(folder), "--format", Self.formats, "--no-progress"] + Self.timeout)
      #expect(merged.status == 0 && merged.error.isEmpty, "\(merged.error)")
      #expect(
        merged.output.replacing(scratch.path(folder), with: "")
          == whole.output.replacing(scratch.path("whole"), with: ""))
      let (mine, expected) = (try files(folder), try files("whole"))
      #expect(mine.keys.sorted() == expected.keys.sorted())
      for (file, octets) in expected { #expect(mine[file] == octets, "\(file) of \(order)") }
    }
  }

  /// What is asked of the report is asked of the merge: groups, conditions, templates.
  @Test func reportIsAskedForAtTheMerge() throws {
    let captures = try pieces("cookies-redirects")
    let options = [
      "--template", "--group-by", "host,path,method", "--by", "status", "--where", "status >= 200", "--json",
    ]
    let partials = try partials(captures, [])
    let whole = try Sniffer.run(captures + options + ["--no-progress"])
    let merged = try Sniffer.run(["merge"] + partials + options + ["--no-progress"])
    #expect(whole.status == 0 && merged.status == 0 && !whole.output.isEmpty, "\(merged.error)")
    #expect(merged.output == whole.output)
  }

  /// A run that goes on reads what is new or changed, and its files are those of one run over everything.
  @Test func resumedRunGoesOn() throws {
    let captures = try pieces("nginx-keepalive")
    func compare(_ captures: [String]) throws {
      let options = ["--format", "csv,ndjson", "--no-progress"] + Self.timeout
      let whole = try Sniffer.run(captures + ["-o", scratch.path("whole")] + options)
      let resumed = try Sniffer.run(captures + ["-o", scratch.path("resumed"), "--resume"] + options)
      #expect(whole.status == 0 && resumed.status == 0 && resumed.error.isEmpty, "\(resumed.error)")
      for (file, octets) in try files("whole") where !file.hasPrefix(".") {
        let mine = try Data(contentsOf: scratch.url.appendingPathComponent("resumed/\(file)"))
        #expect(mine == octets, "\(file)")
      }
    }
    func partials() throws -> [String: Date] {
      let folder = scratch.url.appendingPathComponent("resumed/partials")
      return try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: [.contentModificationDateKey]
      ).filter { $0.pathExtension == "partial" }.reduce(into: [:]) {
        $0[$1.lastPathComponent] = try $1.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      }
    }
    try compare(Array(captures[..<2]))
    let first = try partials()
    #expect(first.count == 2)
    try compare(captures)
    let second = try partials()
    #expect(second.count == 3 && first.allSatisfy { second[$0.key] == $0.value }, "the first two are not made again")
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    _ = try scratch.file("nginx-keepalive-2.pcap", octets.part(2 * octets.records.count / 3..<octets.records.count - 5))
    try compare(captures)
    let third = try partials()
    #expect(third.count == 3 && first.allSatisfy { third[$0.key] == $0.value } && third != second)
  }

  /// A copy of a capture counts as it does by one run, and the same line names it.
  @Test func aResumedRunCountsCopiesAsOneRunDoes() throws {
    let captures = try pieces("pipelining")
    let copy = try scratch.file("copy.pcap", [UInt8](Data(contentsOf: URL(fileURLWithPath: captures[0])))).path
    let whole = try Sniffer.run([captures[0], copy, "--json", "-o", scratch.path("w")])
    let resumed = try Sniffer.run([captures[0], copy, "--json", "-o", scratch.path("r"), "--resume"])
    #expect(whole.status == 0 && resumed.status == 0)
    #expect(
      whole.error == resumed.error && whole.error.contains("packets that both have count twice"), "\(resumed.error)")
    for name in ["ledger.csv", "messages.csv", "connections.csv"] {
      #expect(
        try Data(contentsOf: scratch.url.appendingPathComponent("w/" + name))
          == Data(contentsOf: scratch.url.appendingPathComponent("r/" + name)))
    }
  }

  @Test func whatCannotBeResumedIsRefused() throws {
    let capture = try #require(pieces("pipelining").first)
    for options in [
      [], ["-o", scratch.path("r"), "--partial", scratch.path("p")], ["-o", scratch.path("r"), "--follow"],
    ] {
      let outcome = try Sniffer.run([capture, "--resume"] + options)
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(options)")
    }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let captures = try pieces("nginx-keepalive")
    let partials = try partials(captures, [])
    func error(_ arguments: [String]) throws -> String {
      let outcome = try Sniffer.run(["merge"] + arguments)
      #expect(outcome.status == 1 || outcome.status == 64, "\(arguments): \(outcome.output)")
      return outcome.error
    }
    #expect(try error(partials + ["--no-decode"]).contains("made with no options, and not with --no-decode"))
    #expect(try error(partials + ["--interval", "1"]).contains("made with another --interval"))
    #expect(try error([partials[0], partials[0]]).contains("there twice"))
    try FileManager.default.copyItem(atPath: partials[0], toPath: scratch.path("copy.partial"))
    #expect(try error([partials[0], scratch.path("copy.partial")]).contains("a packet would count twice"))
    #expect(try error([captures[0]]).contains("not a partial: sniffer analyze CAPTURE --partial FILE makes one"))
    #expect(try error([scratch.path("nothing")]).contains("cannot read: No such file or directory"))
    let octets = try Data(contentsOf: URL(fileURLWithPath: partials[0]))
    _ = try scratch.file("cut.partial", Array(octets.dropLast(40)))
    #expect(try error([scratch.path("cut.partial")]).contains("the partial is damaged"))
    var changed = Array(octets)
    changed[30] ^= 1
    _ = try scratch.file("changed.partial", changed)
    #expect(try error([scratch.path("changed.partial")]).contains("the partial is damaged"))
    // The others are reported, and no partial is made of a damaged one.
    for damaged in ["cut.partial", "changed.partial"] {
      let rest = try Sniffer.run(["merge", partials[1], scratch.path(damaged)])
      let alone = try Sniffer.run(["merge", partials[1]])
      #expect(rest.status == 1 && rest.error.contains("the partial is damaged, and left out"), "\(rest.error)")
      #expect(rest.outputLines.last == alone.outputLines.last && alone.status == 0)
      #expect(
        try error([partials[1], scratch.path(damaged), "--partial", scratch.path("joined.partial")]).contains("damaged")
      )
      #expect(!FileManager.default.fileExists(atPath: scratch.path("joined.partial")))
    }
  }

  /// A SYN that is sent again in the next file: nobody can say by the SYN alone whether it begins another connection.
  @Test func sameEndpointsAreToldApart() throws {
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    // Short, so that all connections of the second file are over when it ends.
    let timeout = ["--idle-timeout", "0.05"]
    // The third packet is the SYN of a connection, which the second file has again, in time and whole.
    let first = try scratch.file("first.pcap", octets.part(0..<3)).path
    let second = try scratch.file("second.pcap", octets.header + octets.records.flatMap(\.self)).path
    let kept = try partials([first], timeout)
    let counted = try partials([second], timeout)
    let refused = try Sniffer.run(["merge"] + kept + counted + timeout)
    #expect(refused.status == 1 && refused.error.contains("make it again with --keep-packets"), "\(refused.error)")
    let whole = try Sniffer.run([first, second, "-o", scratch.path("whole"), "--no-progress"] + timeout)
    let packets = try partials([second], timeout + ["--keep-packets"])
    let merged = try Sniffer.run(
      ["merge"] + kept + packets + ["-o", scratch.path("merged"), "--no-progress"] + timeout)
    #expect(whole.status == 0 && merged.status == 0, "\(merged.error)")
    let (mine, expected) = (try files("merged"), try files("whole"))
    for (file, octets) in expected { #expect(mine[file] == octets, "\(file)") }
  }

  /// What was wrong with a capture is said again.
  @Test func damageOfACaptureIsSaid() throws {
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let cut = try scratch.file("cut.pcap", Array(octets.part(0..<50).dropLast(3))).path
    let made = try Sniffer.run([cut, "--partial", cut + ".partial", "--no-progress"])
    #expect(made.status == 1 && made.error.contains("cut: what begins here needs"), "\(made.error)")
    let merged = try Sniffer.run(["merge", cut + ".partial", "--no-progress"])
    #expect(merged.status == 1 && merged.error == made.error, "\(merged.error)")
    #expect(merged.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }

  @Test func usageIsChecked() throws {
    let capture = try Corpus.capture("nginx-keepalive").path
    for arguments in [
      [capture, "--partial", "x", "--format", "csv"], ["-", "--partial", "x"], [capture, "--keep-packets"],
      [capture, "--partial", "x", "--json"],
    ] {
      #expect(try Sniffer.run(arguments).status == 64, "\(arguments)")
    }
  }
}
