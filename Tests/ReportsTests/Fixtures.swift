import Foundation
import HTTPReassembly

/// A folder of its own for one test, removed with everything in it when the test is done.
final class TemporaryFolder {
  /// Where it is.
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/reports-tests-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The text of a file in it; empty when it is not there or not UTF-8.
  func text(_ name: String) -> String {
    guard let data = FileManager.default.contents(atPath: path + "/" + name) else { return "" }
    return String(data: data, encoding: .utf8) ?? ""
  }

  /// The rows of a CSV file in it without the header row; line ends stay to be looked at.
  func rows(_ name: String) -> [String] {
    Array(text(name).components(separatedBy: "\r\n").dropFirst().dropLast())
  }

  /// The names of the files in it.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

extension TextPool {
  /// The handle of a text.
  mutating func intern(_ text: String) -> TextID { intern(Array(text.utf8)) }
}

let client = Endpoint(address: IPAddress(v4: 0x0a00_0001), port: 50_000)
let server = Endpoint(address: IPAddress(high: 0x2001_0db8_0000_0000, low: 1), port: 443)

/// Totals with everything zero.
func emptyTotals() -> Totals {
  Totals(ledger: Ledger(packets: 0, original: 0), anomalies: AnomalyLog(), apis: [], texts: TextPool())
}

/// An API with the given octets on the wire.
func api(_ path: String, up: Int, down: Int, requests: Int = 1, in texts: inout TextPool) -> APITotals {
  var api = APITotals()
  api.host = texts.intern("api.example.com")
  api.path = texts.intern(path)
  api.requests = requests
  api.responses = requests
  api.request.octets.header = up / 2
  api.request.octets.body = up - up / 2
  api.response.octets.header = down / 10
  api.response.octets.body = down - down / 10
  return api
}
