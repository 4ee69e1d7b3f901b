import Foundation
import Testing

/// What happened when a page was opened in a browser and used.
struct BrowserOutcome: Decodable, Sendable {
  /// What the scripts of the steps gave.
  let values: [Value]
  /// What the browser wrote to its console: messages, warnings, errors.
  let console: [String]
  /// Exceptions that nobody caught.
  let exceptions: [String]
  /// Addresses of everything that was asked for.
  let requests: [String]
  /// Messages of dialogs that were opened.
  let dialogs: [String]

  /// A value of a script.
  enum Value: Decodable, Sendable, Equatable {
    case number(Double)
    case text(String)
    case list([Value])
    case flag(Bool)
    case nothing

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .nothing
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .list(try container.decode([Value].self))
      }
    }

    var texts: [String] {
      guard case .list(let values) = self else { return [] }
      return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    var numbers: [Double] {
      guard case .list(let values) = self else { return [] }
      return values.compactMap { if case .number(let number) = $0 { number } else { nil } }
    }
  }
}

/// A headless browser that does with a page what a list of steps says (`browser.py`).
enum Browser {
  /// A step.
  enum Step {
    case evaluate(String)
    case key(String)
    case type(String)
    case size(Int, Int)
    case scheme(String)
    case reload
    case touch(String)

    fileprivate var json: [String: Any] {
      switch self {
      case .evaluate(let script): ["evaluate": script]
      case .key(let name): ["key": name]
      case .type(let text): ["text": text]
      case .size(let width, let height): ["size": [width, height]]
      case .scheme(let name): ["scheme": name]
      case .reload: ["navigate": true]
      case .touch(let path): ["touch": path]
      }
    }
  }

  private static let chromium = Environment.tool("chromium") ?? Environment.tool("chromium-browser")
  private static let python = Environment.tool("python3")

  /// Why pages cannot be opened; nil when they can.
  static let whyNot: String? =
    chromium == nil ? "chromium is not installed" : python == nil ? "python3 is not installed" : nil

  /// Opens a page and uses it.
  static func open(_ page: URL, _ steps: [Step]) throws -> BrowserOutcome { try start(page, steps).outcome() }

  /// Begins to open a page and to use it.
  static func start(_ page: URL, _ steps: [Step]) throws -> RunningBrowser {
    let scratch = try Scratch()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("browser.py")
    let input = try scratch.file("steps.json", [UInt8](JSONSerialization.data(withJSONObject: steps.map(\.json))))
    let result = scratch.path("result.json")
    let (python, chromium) = (try #require(python), try #require(chromium))
    let process = try RunningCommand(
      python, [script.path, chromium.path, page.isFileURL ? page.path : page.absoluteString, input.path, result])
    return RunningBrowser(process: process, result: result, scratch: scratch)
  }
}

/// A browser that is going through its steps.
struct RunningBrowser {
  fileprivate let process: RunningCommand
  fileprivate let result: String
  fileprivate let scratch: Scratch

  /// Whether it has not come to the end of its steps.
  var isRunning: Bool { process.isRunning }

  /// Waits until it is through, and says what happened.
  func outcome() throws -> BrowserOutcome {
    let outcome = try process.wait(upTo: 1200)
    try #require(outcome.status == 0, "\(outcome.error)")
    return try JSONDecoder().decode(BrowserOutcome.self, from: Data(contentsOf: URL(fileURLWithPath: result)))
  }
}
