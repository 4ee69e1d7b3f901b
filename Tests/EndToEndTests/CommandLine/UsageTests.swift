import Foundation
import Testing

/// Help, version, and what wrong usage gets.
@Suite struct UsageTests {
  @Test func versionIsOneLine() throws {
    let outcome = try Sniffer.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.outputLines.count == 1)
    #expect(outcome.output.wholeMatch(of: #/[0-9]+\.[0-9]+\.[0-9]+\n/#) != nil)
    #expect(outcome.error.isEmpty)
  }

  @Test(arguments: ["live", "top"]) func aLiveRunNeedsAnInterface(_ command: String) throws {
    let outcome = try Sniffer.run([command])
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errorLines.first == "Error: --interface is missing: sniffer interfaces lists them.")
  }

  @Test func helpNamesTheSubcommands() throws {
    let outcome = try Sniffer.run(["--help"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("analyze (default)"))
    #expect(outcome.error.isEmpty)
  }

  @Test(arguments: [
    "--output", "-o", "--format", "--filter", "--group-by", "--no-decode", "--jobs", "--quiet", "--no-progress",
    "--log-level", "--version", "--help", "--template", "--redact", "--decode-limit",
  ])
  func helpOfAnalyzeNamesEveryOption(_ option: String) throws {
    let outcome = try Sniffer.run(["analyze", "--help"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(option))
  }

  @Test func analyzeIsTheDefault() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let named = try Sniffer.run(["analyze", capture.path])
    let implied = try Sniffer.run([capture.path])
    #expect(named.status == 0)
    #expect(implied.status == 0)
    #expect(named.outputOctets == implied.outputOctets)
  }

  /// A first word that is nearly a command, whatever comes behind it.
  @Test(arguments: [
    (["livee", "-i", "lo"], "live"), (["modles", "--sort", "total_error"], "models"),
    (["verfy", "--log", "x.csv"], "verify"),
  ])
  func misspeltCommandsAreNamed(_ arguments: [String], _ command: String) throws {
    let outcome = try Sniffer.run(arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(
      outcome.error.contains("there is no command '\(arguments[0])'; did you mean \(command)?"), "\(outcome.error)")
    // Words that are nothing like one are captures.
    let other = try Sniffer.run(["walrus", "-i", "lo"])
    #expect(other.status == 64 && !other.error.contains("there is no command"))
    // Neither are options.
    let option = try Sniffer.run(["--top", "x"])
    #expect(option.status == 64 && option.error.contains("--top <n>"), "\(option.error)")
  }

  /// A wrong command line, and a word that the message about it has to have.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let word: String

    var testDescription: String { arguments.joined(separator: " ") }
  }

  @Test(arguments: [
    Mistake(arguments: ["--filter", "tcp prot 80"], word: "filter"),
    Mistake(arguments: ["--filter", "host no such thing"], word: "filter"),
    Mistake(arguments: ["--group-by", "host,colour"], word: "colour"),
    Mistake(arguments: ["--group-by", "path"], word: "host"),
    Mistake(arguments: ["--group-by", ""], word: "--group-by"),
    Mistake(arguments: ["--format", "xml"], word: "xml"),
    Mistake(arguments: ["--format", "csv,xml"], word: "xml"),
    Mistake(arguments: ["--jobs", "0"], word: "--jobs"),
    Mistake(arguments: ["--decode-limit", "0"], word: "--decode-limit"),
    Mistake(arguments: ["--decode-limit", "1048577"], word: "--decode-limit"),
    Mistake(arguments: ["--jobs", "many"], word: "many"),
    Mistake(arguments: ["--log-level", "loud"], word: "loud"),
    Mistake(arguments: ["--no-such-option"], word: "--no-such-option"),
  ])
  func wrongUsageExitsWith64AndOneLineThatSaysWhy(_ mistake: Mistake) throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(mistake.arguments + ["-o", scratch.path("report"), capture.path])
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    // What follows it is how to use the program, not another error.
    #expect(outcome.errorLines.count { $0.hasPrefix("Error: ") } == 1)
    #expect(outcome.errorLines.first?.hasPrefix("Error: ") == true)
    #expect(outcome.errorLines.first?.contains(mistake.word) == true)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("report")), "nothing is written")
  }

  /// A usage error repeats arguments, which can be names of files that others chose.
  @Test func wrongUsageHasNoEffectOnTheTerminal() throws {
    let scratch = try Scratch()
    let hostile = "\u{1b}[31m\u{202e}\n::error::x"
    let file = try scratch.file(hostile).path
    for arguments in [[file, file], ["--format", hostile, file], ["--marks", file, file, "--top", hostile]] {
      let outcome = try Sniffer.run(arguments)
      #expect(outcome.status == 64)
      #expect(outcome.error.contains(#"\x1b[31m\xe2\x80\xae\x0a::error::x"#), "\(outcome.error)")
      #expect(!outcome.error.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
      #expect(!outcome.errorLines.contains { $0.hasPrefix("::") })
    }
  }

  /// The same of the log.
  @Test func theLogHasNoEffectOnTheTerminal() throws {
    let scratch = try Scratch()
    let file = try scratch.file("\u{1b}[31m\n.pcap", HandMadeCapture.octets(request: "", response: "")).path
    for arguments in [[file], [file, "--partial", file + ".partial"], ["merge", file + ".partial"]] {
      let outcome = try Sniffer.run(arguments + ["--log-level", "trace"])
      #expect(outcome.status == 0 && outcome.error.contains(#"\x1b[31m\x0a.pcap"#), "\(outcome.error)")
      #expect(!outcome.error.contains("\u{1b}"))
    }
  }

  /// Without arguments it greets; with options and no capture it is wrong usage.
  @Test func withoutArgumentsItGreets() throws {
    let outcome = try Sniffer.run([])
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(outcome.output.contains("sniffer capture.pcap") && outcome.output.contains("sniffer guide"))
    let wrong = try Sniffer.run(["--template"])
    #expect(wrong.status == 64 && wrong.output.isEmpty && wrong.error.contains("capture"))
  }

  /// Words that are shown are accepted, and guessed options name the right ones.
  @Test func familiarWordsAreUnderstood() throws {
    let capture = try Corpus.capture("cookies-redirects").path
    let scratch = try Scratch()
    let report = scratch.path("report")
    #expect(try Sniffer.run([capture, "--html", "--csv", "-q", "-o", report]).status == 0)
    for file in ["report.html", "apis.csv"] { #expect(FileManager.default.fileExists(atPath: report + "/" + file)) }
    for word in ["total", "up", "down", "header", "errors", "p95", "share", "API"] {
      #expect(try Sniffer.run([capture, "--sort", word]).status == 0, "\(word)")
    }
    #expect(try Sniffer.run([capture, "--by", "host", "--sort", "up"]).status == 0)
    for (word, name) in [("change", "ip_bytes"), ("p95", "wait_ms_p95"), ("header-bytes", "header_bytes")] {
      let said = try Sniffer.run(["diff", capture, capture, "--sort", word])
      let same = try Sniffer.run(["diff", capture, capture, "--sort", name])
      #expect(said.status == 0 && said.output == same.output, "\(word)")
    }
    let json = try Sniffer.run([capture, "--format", "json"])
    #expect(json.output == (try Sniffer.run([capture, "--json"])).output && json.status == 0)
    let far = try Sniffer.run(["budget", capture, "--top", "3", "--budget", "none.yaml"])
    #expect(far.errorLines.first == "Error: there is no --top here", "no suggestion is better than a far one")
    let csv = try Sniffer.run(["diff", capture, capture, "--csv"])
    #expect(csv.output == (try Sniffer.run(["diff", capture, capture, "--format", "csv"])).output)
    for (option, meaning) in [
      ("--keylog", "--keys FILE"), ("--limit", "--top N"), ("--log", "sniffer verify"), ("--out", "--output"),
    ] {
      let outcome = try Sniffer.run([capture, option, "x"])
      #expect(outcome.status == 64, "\(option)")
      #expect(outcome.errorLines.first?.contains("did you mean \(meaning)") == true, "\(option)")
    }
  }

  /// The most bytes of header sections come first where that is the heading to sort by.
  @Test func headingsSortByTheirFigures() throws {
    let capture = try Corpus.capture("demo").path
    let outcome = try Sniffer.run([capture, "--sort", "header", "--json", "--top", "0"])
    let object = try JSONSerialization.jsonObject(with: Data(outcome.outputOctets)) as? [String: Any]
    let rows = try #require((object?["apis"] as? [String: Any])?["rows"] as? [[String: Any]])
    let headers = rows.map { ($0["request_header_bytes"] as? Int ?? 0) + ($0["response_header_bytes"] as? Int ?? 0) }
    #expect(headers.count > 100 && headers == headers.sorted(by: >))
  }
}
