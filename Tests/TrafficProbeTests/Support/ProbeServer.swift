import Foundation
import Testing

/// What the server counted of one message. Octets.
struct WireMessage: Decodable {
  let type: String
  let host: String
  let path: String
  let target: String
  let status: Int?
  let line: Int
  let header: Int
  let body: Int
  let framing: Int
  let interim: Int
  let raw: String?
  /// The name in TLS.
  let sni: String?
  /// The content of a request for `/collect`.
  let content: String?

  /// Octets of the whole message.
  var length: Int { line + header + body + framing }
}

/// The server of the end-to-end tests, on a port of its own and with a log of its own.
final class ProbeServer: Sendable {
  let port: Int
  let base: String
  private let log: URL

  /// Whether there is a Python to run it.
  static let isThere =
    ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/python3")
    }
    || (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/python3")
    }

  /// - Parameter tls: a PEM file with key and certificate; nil speaks plain HTTP.
  /// - Throws: when it does not start.
  init(tls: URL? = nil) throws {
    log = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString).jsonl")
    let answer = try ProbeServerProcess.shared.get().tell(["serve": log.path, "tls": tls?.path], isAnswered: true)
    port = try #require(Int(answer))
    base = "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit { try? FileManager.default.removeItem(at: log) }

  /// Lets the requests for `/late` have their response.
  func answerLate() throws { _ = try ProbeServerProcess.shared.get().tell(["answer": port], isAnswered: false) }

  /// The log so far: a message is in it before the client can have the response.
  func messages() throws -> [WireMessage] {
    let text = try String(contentsOf: log, encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(WireMessage.self, from: Data($0.utf8)) }
  }
}

/// The process of all these servers: starting one takes longer than most of what is asked of it. It ends with these tests, which hold
/// the other end of its input.
private final class ProbeServerProcess: Sendable {
  static let shared = Result { try ProbeServerProcess() }

  private let input = Pipe()
  private let output = Pipe()
  /// Held from a line to its answer.
  private let turn = NSLock()

  private init() throws {
    let process = Process()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../EndToEndTests/Probe/probe-server.py").standardized
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path, "--told"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Tells it something in one line.
  /// - Returns: the line that it says, where it says one.
  func tell(_ what: [String: Any?], isAnswered: Bool) throws -> String {
    let line = try JSONSerialization.data(withJSONObject: what.mapValues { $0 ?? NSNull() }) + Data("\n".utf8)
    return try turn.withLock {
      try input.fileHandleForWriting.write(contentsOf: line)
      var answer = Data()
      while isAnswered, answer.last != UInt8(ascii: "\n") {
        let piece = output.fileHandleForReading.availableData
        try #require(!piece.isEmpty, "the server ended")
        answer += piece
      }
      return String(decoding: answer.dropLast(), as: UTF8.self)
    }
  }
}
