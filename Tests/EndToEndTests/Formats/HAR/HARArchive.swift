import Foundation
import Testing

/// A HAR as these tests read it.
struct HARArchive: Decodable {
  struct Log: Decodable { let entries: [Entry] }
  struct Entry: Decodable {
    let request: Request
    let response: Response
    let serverIPAddress: String?
  }
  struct Pair: Decodable {
    let name: String
    let value: String
    let charset: String?

    enum CodingKeys: String, CodingKey {
      case name, value
      case charset = "_wireCharset"
    }
  }
  struct Body: Decodable {
    let text: String?
    let encoding: String?
    let wireEncoding: String?
    let size: Int?
    let comment: String?

    enum CodingKeys: String, CodingKey {
      case text, encoding, size, comment
      case wireEncoding = "_wireEncoding"
    }

    /// The octets that the text stands for.
    var octets: Data? {
      (encoding ?? wireEncoding) == "base64" ? text.flatMap { Data(base64Encoded: $0) } : text.map { Data($0.utf8) }
    }
  }
  struct Request: Decodable {
    let method: String
    let url: String
    let headers: [Pair]
    let cookies: [Pair]
    let queryString: [Pair]
    let headersSize: Int
    let bodySize: Int
    let postData: Body?
  }
  struct Response: Decodable {
    let status: Int
    let statusText: String
    let headers: [Pair]
    let cookies: [Pair]
    let content: Body
    let redirectURL: String
    let headersSize: Int
    let bodySize: Int
  }

  let log: Log
  var entries: [Entry] { log.entries }

  /// The archive that `sniffer` makes of a capture.
  init(_ capture: String, _ content: String?) throws {
    let scratch = try Scratch()
    let outcome = try Sniffer.run(
      (content.map { ["--har-content", $0] } ?? []) + [capture, "--format", "har", "-o", scratch.path("report"), "-q"])
    try #require(outcome.status == 0, "\(outcome.error)")
    self = try JSONDecoder().decode(
      HARArchive.self, from: Data(contentsOf: URL(fileURLWithPath: scratch.path("report/report.har"))))
  }
}
