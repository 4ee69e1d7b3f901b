import Foundation
import Shared
import TestSupport
import Testing

/// What `sniffer models CAPTURE -o DIR` made of a capture.
struct ModelsRun: Sendable {
  /// The names of the models, in the order of rows.
  static let names = [
    "networkeye", "hertz", "wedjat", "dokit", "dogger", "ep", "lldebugtool", "netfox", "okhttp", "urlsession_metrics",
    "har_chrome", "har_firefox", "har_mitmproxy", "trafficprobe",
  ]
  /// Those that an app itself can compute from what a URLProtocol sees.
  static let namesInURLProtocol: Set = [
    "networkeye", "hertz", "wedjat", "dokit", "dogger", "ep", "lldebugtool", "netfox",
  ]
  /// The parts that figures are told for.
  static let parts = ["line", "header", "body", "framing", "total"]

  let outcome: Outcome
  let apis: CSVFile
  let messages: CSVFile

  /// Runs anew.
  init(_ arguments: [String], input: URL? = nil) throws {
    let scratch = try Scratch()
    outcome = try Sniffer.run(["models"] + arguments + ["-o", scratch.path("models")], input: input)
    func file(_ name: String) throws -> CSVFile {
      try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: scratch.path("models/\(name)")))))
    }
    apis = try file("models.csv")
    messages = try file("model_messages.csv")
  }

  private static let known = Locked<[String: ModelsRun]>([:])

  /// The run over a capture without options; each is made once in a run of the tests.
  static func of(_ capture: CaptureFile) throws -> ModelsRun {
    try known.withLock { known in
      if let run = known[capture.name] { return run }
      let run = try ModelsRun([capture.path])
      known[capture.name] = run
      return run
    }
  }
}
