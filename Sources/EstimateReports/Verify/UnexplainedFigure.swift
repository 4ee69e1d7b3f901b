import Estimates
import Reports
import Tabular

/// A figure of the log that no cause explains, with the wire's. Octets.
struct UnexplainedFigure {
  /// The number of the row in the log; nil without one.
  let row: Int?
  /// "request" or "response".
  let type: String
  /// The host and the path as octets, redacted if asked for. They are hostile.
  let host: [UInt8]
  let path: [UInt8]
  /// "start-line", "header", "body" or "whole".
  let figure: String
  let app: Int?
  let wire: Int?
  /// App minus wire, without the octets of causes.
  let unexplained: Int

  /// The figures of one row: those of parts, or the whole where no part has any.
  static func all(_ row: VerifiedRow, _ redaction: Redaction?) -> [UnexplainedFigure] {
    let (host, path) = (Array(row.host.utf8), Array(row.path.utf8))
    let parts = [("start-line", row.line), ("header", row.header), ("body", row.body)].filter { $0.1.unexplained != 0 }
    return (parts.isEmpty ? [("whole", row.total)] : parts).map { figure, part in
      UnexplainedFigure(
        row: row.entry?.row, type: row.entry?.kind == .request ? "request" : "response",
        host: redaction?.host(host) ?? host, path: redaction?.path(path) ?? path, figure: figure, app: part.app,
        wire: part.wire, unexplained: part.unexplained)
    }
  }
}
