import Foundation
import Testing

/// The GitHub Action: what it runs, and the annotations that it prints.
@Suite(.enabled(if: Environment.tool("python3") != nil, "python3 is not installed")) struct ActionTests {
  private static let annotated = Document.root.appendingPathComponent("packaging/annotated").path

  /// An excess of a budget is an error at the line of its limit, and the exit status is that of the check.
  @Test func excessesOfABudgetAreAnnotated() throws {
    let folder = try ReadersFolder()
    _ = try folder.scratch.file(
      "limits.yaml",
      Array("limits:\n  - host: \"**\"\n    requests: 1000000\n  - host: api.example.com\n    ip_bytes: 600\n".utf8))
    let outcome = try folder.outcome(of: "'\(Self.annotated)' budget captures/nginx-keepalive.pcap limits.yaml")
    #expect(outcome.status == 2, "\(outcome.error)")
    let lines = outcome.outputLines.filter { $0.hasPrefix("::") }
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(line.hasPrefix("::error file=limits.yaml,line=4,title=Traffic budget exceeded::api.example.com/"))
      #expect(line.hasSuffix(", the limit is 600 bytes"))
    }
    let table = outcome.output.components(separatedBy: "budget exceeded: ").last ?? ""
    #expect(table.hasPrefix("\(lines.count) of "), "one annotation for each excess: \(outcome.output)")
    let kept = try folder.outcome(of: "'\(Self.annotated)' budget captures/nginx-keepalive.pcap budget.yaml")
    #expect(kept.status == 0 && !kept.output.contains("::error"), "\(kept.error)")
  }

  @Test func growthIsAnnotated() throws {
    let folder = try ReadersFolder()
    let same = try folder.outcome(of: "'\(Self.annotated)' diff capture.pcap report")
    #expect(same.status == 0 && !same.output.contains("::error"), "\(same.error)")
    let grown = try folder.outcome(
      of: "'\(Self.annotated)' diff captures/nginx-gzip.pcap.zst report --threshold 5%")
    #expect(grown.status == 2, "\(grown.error)")
    #expect(grown.output.contains("::error title=Traffic grew::"))
    let wrong = try folder.outcome(of: "'\(Self.annotated)' diff no-such.pcap report")
    #expect(wrong.status == 1 && !wrong.output.contains("::"))
  }

  /// Texts of the wire begin no command of the runner, and stay on one line.
  @Test func hostileTextsAreEscaped() throws {
    let scratch = try Scratch()
    let path = "/a\n::set-env name=PATH::/tmp,%0A::error::x"
    let table =
      "line,figure,unit,host,path,limit,actual,over,exceeded\r\n2,ip_bytes,bytes,h,\"\(path)\",1,2,1,1\r\n"
    let file = try scratch.file("budget.csv", Array(table.utf8))
    let script = Document.root.appendingPathComponent("packaging/annotate")
    let outcome = try Command.run(script, ["budget", file.path, "a:b,c\n.yaml"])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(
      outcome.output
        == "::error file=a%3Ab%2Cc%0A.yaml,line=2,title=Traffic budget exceeded::"
        + "h/a%0A::set-env name=PATH::/tmp,%250A::error::x: ip_bytes is 2, the limit is 1 bytes\n")
  }

  /// What the action calls of this repository is there, and its inputs reach the shell as values only.
  @Test func theActionIsWhole() throws {
    let text = try String(contentsOf: Document.root.appendingPathComponent("action.yml"), encoding: .utf8)
    let called = text.matches(of: #/\$GITHUB_ACTION_PATH\/([a-z\/-]+)/#).map { String($0.output.1) }
    #expect(Set(called) == ["scripts/install-dependencies", "packaging/annotated"])
    for name in called {
      #expect(FileManager.default.isExecutableFile(atPath: Document.root.appendingPathComponent(name).path))
    }
    for line in text.split(separator: "\n") where line.contains("${{ inputs.") {
      #expect(line.wholeMatch(of: #/ +[A-Z]+: \$\{\{ inputs\.[a-z]+ \}\}/#) != nil, "\(line)")
    }
  }
}
