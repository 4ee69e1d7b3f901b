import ArgumentParser
import Tabular

/// Options as people guess them: forms of output that are accepted under their own name, and the right option for a guessed one.
enum FamiliarOptions {
  /// The names of report formats, which `--csv` and the like stand for.
  private static let reports = ["csv", "ndjson", "sqlite", "har", "html", "parquet"]
  /// The forms of a result that `diff` and `budget` print.
  private static let results = ["table", "markdown", "junit", "github"]

  /// The arguments with `--csv` and the like in place of `--format csv`, and with the form of a budget's result behind `--print`.
  static func settled(_ arguments: [String]) -> [String] {
    let command = arguments.first ?? ""
    guard !["keys", "interfaces", "guide", "help"].contains(command) else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var formats: [String] = []
    var settled: [String] = []
    var isValue = false
    for argument in arguments[..<end] {
      let name = String(argument.dropFirst(2))
      if isValue || argument.hasPrefix("--format=") {
        // A list may come in several options, and in words beside it.
        formats += (isValue ? argument : String(argument.dropFirst("--format=".count)))
          .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        isValue = false
      } else if argument == "--format" {
        isValue = true
      } else if argument.hasPrefix("--"), known(for: command).contains(name) {
        formats.append(name)
      } else {
        settled.append(argument)
      }
    }
    if isValue { settled.append("--format") }
    let printed = command == "budget" ? formats.filter { results.contains($0) } : []
    if !printed.isEmpty { settled += ["--print", printed.joined(separator: ",")] }
    formats.removeAll { printed.contains($0) }
    // The summary as JSON is no report.
    if command != "diff", formats.contains("json") {
      formats.removeAll { $0 == "json" }
      if !settled.contains("--json") { settled.append("--json") }
    }
    if !formats.isEmpty { settled += ["--format", formats.joined(separator: ",")] }
    return settled + arguments[end...]
  }

  private static func known(for command: String) -> [String] {
    switch command {
    // A database of a comparison would be another report.
    case "diff": ["csv", "json"] + results
    case "budget": reports + results
    default: reports
    }
  }

  /// The option or command that a guessed option means; nil for others.
  static func meaning(of option: String) -> String? {
    switch option {
    case "--out", "--out-dir", "--output-dir", "--dir", "--report", "--save": "--output DIR (-o)"
    case "--json-output": "--json"
    case "--output-format", "--export", "--as": "--format FORMAT"
    case "--p95", "--slowest", "--slow": "--sort p95"
    case "--biggest", "--largest", "--by-size": "--sort total"
    case "--md": "--format markdown"
    case "--xlsx", "--excel", "--spreadsheet": "--format csv"
    case "--db", "--database", "--sql": "--format sqlite"
    case "--jsonl", "--json-lines": "--format ndjson"
    case "--page", "--web", "--browser": "--format html"
    case "--key", "--keylog", "--key-log", "--sslkeylog", "--sslkeylogfile", "--tls-keys", "--secrets", "--decrypt":
      "--keys FILE"
    case "--limit", "--count", "--rows", "--max", "--first", "--head": "--top N"
    case "--sort-by", "--order", "--order-by": "--sort COLUMN"
    case "--group", "--groupby": "--group-by KEYS, or --by KEY for the summary"
    case "--host", "--path", "--method", "--status", "--only", "--match", "--select":
      "--where CONDITION, as in --where 'host == \"api.example.com\"'"
    case "--bpf", "--capture-filter", "--port": "--filter BPF, as in --filter 'tcp port 443'"
    case "--threads", "--parallel", "--workers": "--jobs N"
    case "--verbose", "--debug", "-v": "--log-level debug"
    case "--silent": "--quiet"
    case "--no-color", "--no-colour": "NO_COLOR=1 in the environment"
    case "--anonymize", "--anonymise", "--hash", "--privacy": "--redact"
    case "--id", "--ids", "--normalize": "--template"
    case "--raw", "--no-decompress": "--no-decode"
    case "--interface", "-i", "--live", "--device": "sniffer live --interface IF"
    case "--log": "sniffer verify CAPTURE --log FILE"
    case "--budget": "sniffer budget CAPTURE --budget FILE"
    case "--compare", "--baseline", "--base": "sniffer diff BASE NEW"
    case "--watch", "--tail": "--follow"
    case "--print": "--format FORMAT"
    default: nil
    }
  }

  /// The error of an unknown option, from its message, with the option that it means, or without a suggestion that is far from it; nil for
  /// other errors.
  static func correction(of text: String) -> ValidationError? {
    guard let start = text.firstRange(of: "Unknown option '") else { return nil }
    let option = text[start.upperBound...].prefix { $0 != "'" }
    if let meaning = meaning(of: String(option)) {
      return ValidationError("there is no \(option); did you mean \(meaning)?")
    }
    guard let hint = text.firstRange(of: "Did you mean '") else { return nil }
    let near = text[hint.upperBound...].prefix { $0 != "'" }
    guard EditDistance.between(String(option), String(near)) > 2 else { return nil }
    return ValidationError("there is no \(option) here")
  }
}
