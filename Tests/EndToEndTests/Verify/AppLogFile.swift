import Foundation
import TestSupport

/// The log of an app, made from what a capture's messages are, so that every difference is known.
struct AppLogFile {
  /// A row: the columns of a monitor's table, in its order.
  struct Row {
    var host: String
    var path: String
    var type: String
    var time: Int64
    var line: Int
    var header: Int
    var body: Int
    /// Octets of chunk framing and trailers, which no row of a log has.
    var framing: Int

    var length: Int { line + header + body }
  }

  var rows: [Row]

  /// The rows of all messages but interim ones, as the wire has them.
  init(_ messages: CSVFile) {
    rows = messages.rows.filter { $0["type"] != "interim" }.map { row in
      func number(_ column: String) -> Int { Int(row[column]) ?? 0 }
      return Row(
        host: row["host"], path: row["path"], type: row["type"], time: Int64(number("first_time")),
        line: number("start_line_bytes"), header: number("header_bytes"), body: number("body_bytes"),
        framing: number("framing_bytes") + number("trailer_bytes"))
    }
  }

  /// The log as CSV, with times in seconds.
  var text: String {
    "host,path,type,occur_time,length,line_length,header_length,body_length\n"
      + rows.map { row in
        let seconds = "\(row.time / 1_000_000_000).\(String(1_000_000_000 + row.time % 1_000_000_000).dropFirst())"
        return "\(row.host),\(row.path),\(row.type),\(seconds),\(row.length),\(row.line),\(row.header),\(row.body)\n"
      }.joined()
  }
}
