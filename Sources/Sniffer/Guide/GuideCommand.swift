import ArgumentParser
import Foundation
import Reports
import Tabular

extension Guide.Platform: ExpressibleByArgument {}

/// `sniffer guide [PLATFORM]`
struct GuideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guide",
    abstract: "Show how to make a capture and a key log on a platform.",
    discussion: """
      Without arguments it asks on a terminal for the platform and for what is at hand. With arguments it asks nothing: \
      sniffer guide ios --with mac,proxy

      Exit status: 0 all well; 64 wrong usage, or no terminal to ask on.
      """)

  @Argument(help: ArgumentHelp("ios, android, mac, linux or windows.", valueName: "platform"))
  var platform: Guide.Platform?

  @Option(
    help: ArgumentHelp(
      "Show only ways that need nothing but these: mac, usb, router, root, source, proxy (default: all ways).",
      valueName: "things"))
  var with: NameList<Guide.Need>?

  @Flag(help: "Write the guide as a page in Markdown, with all ways.")
  var page = false

  func run() throws {
    var having = with?.names
    guard let platform = try platform ?? askForPlatform() else { return }
    if self.platform == nil, having == nil { having = askForNeeds(on: platform) }
    let width = min(Terminal.standardOutput.textWidth, 100)
    try StandardOutput.write(
      page ? Guide.page(on: platform) : Guide.text(on: platform, having: having, width: width))
  }

  // MARK: Questions

  /// Asks for the platform; nil when the input ends.
  private func askForPlatform() throws -> Guide.Platform? {
    let names = Guide.Platform.allCases.map(\.rawValue).joined(separator: ", ")
    guard isatty(STDIN_FILENO) == 1, Terminal.standardOutput.isTerminal else {
      throw ValidationError("guide needs a platform where it cannot ask: \(names).")
    }
    guard let kind = ask("Is the app on a phone or on a desktop?", ["phone", "desktop"]) else { return nil }
    let platforms: [Guide.Platform] = kind == "phone" ? [.ios, .android] : [.mac, .linux, .windows]
    return ask("Which system?", platforms.map(\.rawValue)).flatMap { Guide.Platform(rawValue: $0) }
  }

  /// Asks for each thing that a way on the platform needs; an empty answer is no.
  private func askForNeeds(on platform: Guide.Platform) -> [Guide.Need] {
    let ways = Guide.captures(on: platform) + Guide.keys(on: platform)
    let needs = Guide.Need.allCases.filter { need in ways.contains { $0.needs.contains(need) } }
    return needs.filter { ask("Do you have \($0.question)?", ["yes", "no"]) == "yes" }
  }

  /// Asks until an answer begins one of the words; nil when the input ends.
  private func ask(_ question: String, _ words: [String]) -> String? {
    while true {
      print("\(question) (\(words.joined(separator: ", "))) ", terminator: "")
      fflush(nil)
      guard let answer = readLine() else { return nil }
      let text = answer.lowercased().filter { !$0.isWhitespace }
      let found = words.filter { !text.isEmpty && $0.hasPrefix(text) }
      if found.count == 1 { return found[0] }
    }
  }
}
