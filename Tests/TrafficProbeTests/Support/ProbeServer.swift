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

  /// Octets of the whole message.
  var length: Int { line + header + body + framing }
}

/// The server of the end-to-end tests, with a log of its own.
final class ProbeServer {
  let port: Int
  let base: String
  private let process = Process()
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
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../EndToEndTests/Probe/probe-server.py").standardized
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["python3", script.path, "--while-parent", "--log", log.path] + (tls.map { ["--tls", $0.path] } ?? [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    base = "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit {
    process.terminate()
    try? FileManager.default.removeItem(at: log)
  }

  /// The log so far.
  func messages() throws -> [WireMessage] {
    let text = try String(contentsOf: log, encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(WireMessage.self, from: Data($0.utf8)) }
  }

  /// The log, once it has this many messages: a server notes a response after it has sent it.
  func messages(count: Int) throws -> [WireMessage] {
    for _ in 0..<200 {
      let messages = try messages()
      if messages.count >= count { return messages }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return try messages()
  }
}
