import Foundation
import Shared

/// The header sections of HTTPS exchanges as HTTP/2 would carry them (RFC 7541): an estimate.
///
/// Formula: the fields that are expected on the wire, in lower case and without those of the connection, and the pseudo-header fields
/// in place of the line. `FieldCompression` encodes them. The 9 octets before each frame are not in the figure.
///
/// Cannot be known: the connections, which begin with empty tables. One connection is assumed for each host, which is what HTTP/2 is
/// made for; on Apple platforms task metrics tell of a new one. The choices of the encoders: libcurl's are known, and nginx's.
final class FieldTables: Sendable {
  /// The largest number of hosts whose tables are kept. With more, all begin anew.
  static let hostLimit = 64

  private struct Tables {
    var request = FieldCompression()
    var response = FieldCompression()
  }

  private let tables = Locked<[String: Tables]>([:])

  /// The octets of a request's field block.
  func request(_ lines: [ExpectedField], host: String, method: String, target: ExpectedTarget) -> Int {
    withTables(of: host) {
      $0.request.request(
        method: method, scheme: "https", authority: host, target: target.text, fields: lines.map { ($0.name, $0.value) }
      )
    }
  }

  /// The octets of a response's field block.
  func response(_ lines: [ExpectedField], host: String, status: Int) -> Int {
    withTables(of: host) { $0.response.response(status: status, fields: lines.map { ($0.name, $0.value) }) }
  }

  /// A new connection to this host begins with empty tables.
  func begin(host: String) { tables.withLock { _ = $0.removeValue(forKey: host) } }

  private func withTables(of host: String, _ body: (inout Tables) -> Int) -> Int {
    tables.withLock { tables in
      if tables.count >= FieldTables.hostLimit, tables[host] == nil { tables = [:] }
      return body(&tables[host, default: Tables()])
    }
  }
}
