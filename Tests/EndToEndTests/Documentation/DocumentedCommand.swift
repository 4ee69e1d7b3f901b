/// A command of a page, as a user would type it.
struct DocumentedCommand: Sendable {
  let page: String
  /// Without what stands behind a `#`. Lines that belong together are one command.
  let line: String

  /// All commands of a page, in their order.
  static func all(of page: Document) -> [DocumentedCommand] {
    page.blocks.flatMap(lines).map { DocumentedCommand(page: page.name, line: $0) }
  }

  private static func lines(of block: Document.Block) -> [String] {
    switch block.language {
    case "sh": joined(block.lines)
    case "": block.lines.compactMap(typed)
    default: []
    }
  }

  /// Every line of a block is a command, or goes on with one whose quotes are open.
  private static func joined(_ lines: [String]) -> [String] {
    var commands: [String] = []
    var open = ""
    for line in lines.map(withoutComment) where !line.isEmpty {
      open += open.isEmpty ? line : "\n" + line
      guard !line.hasSuffix("\\"), ["\"", "'"].allSatisfy({ isEven($0, in: open) }) else { continue }
      commands.append(open)
      open = ""
    }
    return open.isEmpty ? commands : commands + [open]
  }

  private static func isEven(_ quote: Character, in text: String) -> Bool {
    // Quotes of the other kind are text in between: the commands of the pages do not mix them otherwise.
    let other: Character = quote == "\"" ? "'" : "\""
    var isInOther = false
    var count = 0
    for character in text {
      if character == other, count.isMultiple(of: 2) { isInOther.toggle() }
      if character == quote, !isInOther { count += 1 }
    }
    return count.isMultiple(of: 2)
  }

  private static func withoutComment(_ line: String) -> String {
    String(line.replacing(#/(^|\s+)#\s.*$/#, with: ""))
  }

  /// Programs that commands in blocks without a language begin with; other lines there are output or diagrams.
  private static let programs = [
    "sniffer", "sudo", "tcpdump", "make", "swift", "python3", "sqlite3", "captures/record/probe-verify",
  ]

  private static func typed(_ line: String) -> String? {
    let command = withoutComment(line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line)
    let first = command.prefix { $0 != " " }
    return programs.contains(String(first)) ? command : nil
  }

  /// The runs of `sniffer` in a piece of code: the subcommand and the words behind it.
  static func runs(in code: String, subcommands: Set<String>) -> [(subcommand: String, words: [String])] {
    code.split(whereSeparator: { "|;\n\"".contains($0) }).compactMap { part in
      var words = part.split(separator: " ").map(String.init)
      if words.first == "sudo" { words.removeFirst() }
      guard words.first == "sniffer" else { return nil }
      words.removeFirst()
      guard let second = words.first, subcommands.contains(second) else { return ("analyze", words) }
      return (second, Array(words.dropFirst()))
    }
  }
}

/// Commands of the pages that no test can run as they stand there, and why.
struct UnrunCommand: Sendable {
  /// What the command has in it.
  let part: String
  let reason: String

  static let all = [
    UnrunCommand(part: "--follow", reason: "waits for the file to grow until it is interrupted; FollowTests does"),
    UnrunCommand(part: "rvictl", reason: "needs a Mac and an iPhone"),
    UnrunCommand(part: "adb pull", reason: "needs an Android phone"),
    UnrunCommand(part: "ssh root@", reason: "needs a router"),
    UnrunCommand(part: "tcpdump -i", reason: "captures on an interface of the reader's"),
    UnrunCommand(part: "sudo ", reason: "needs privileges on the reader's machine, and changes it or captures there"),
    UnrunCommand(
      part: "sniffer live", reason: "captures on an interface of the reader's; the live tests do on their own"),
    UnrunCommand(
      part: "curl -s -o answer.json", reason: "asks a server of the reader's; CurlLogTests reads what it wrote"),
    UnrunCommand(
      part: "chromium --log-net-log", reason: "visits a site of the reader's; NetlogTests reads what it wrote"),
    UnrunCommand(part: "make ", reason: "builds or tests the whole package"),
    UnrunCommand(part: "swift ", reason: "builds the package, and waits for the build that runs the tests"),
    UnrunCommand(part: "probe-server.py", reason: "serves until it is stopped; ProbeVerifyTests runs it"),
    UnrunCommand(
      part: "merge *.partial", reason: "of what GNU parallel makes before; MergeCommandTests makes such partials"),
    UnrunCommand(part: "probe-verify", reason: "ProbeVerifyTests runs it"),
    UnrunCommand(part: "sniffer models captures/", reason: "ModelsDocumentationTests runs it and compares its output"),
  ]
}
