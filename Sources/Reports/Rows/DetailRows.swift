import HTTPReassembly
import Tabular

/// The tables of rows that refine messages, by their names: `DetailRow`s, and the frames that a message's row knows.
enum DetailTable: String, CaseIterable {
  case grpc
  case websockets

  /// The columns; the first one has the rows' numbers.
  var columns: [TableColumn] {
    switch self {
    case .grpc: GRPCMessageRow.columns
    case .websockets: WebSocketRow.columns
    }
  }

  /// The columns that refer to other tables.
  var references: [String: String] {
    switch self {
    case .grpc: ["exchange": "exchanges", "message": "messages"]
    case .websockets: ["message": "messages", "exchange": "exchanges", "connection": "connections"]
    }
  }
}

/// `grpc`: one row a message of a gRPC call, as calls end. Lengths are octets, times nanoseconds since the Unix epoch.
enum GRPCMessageRow {
  /// The columns.
  static let columns = ColumnList.of { write(GRPCMessage(), to: &$0) }

  /// Writes the row of a message.
  static func write<Row: RowWriter & ~Copyable>(_ message: GRPCMessage, to row: inout Row) {
    row.begin()
    row[.integer("row")].integer(message.number)
    row[.integer("exchange").orUnknown].integerUnlessZero(message.exchange)
    row[.integer("message")].integer(message.message)
    row[.text("direction")].name(message.kind == .request ? "request" : "response" as StaticString)
    row[.integer("number")].integer(message.position)
    row[.integer("wire_bytes")].integer(message.length)
    row[.integer("decoded_bytes").orUnknown].integer(message.decodedLength)
    row[.text("compressed")].name(message.isCompressed ? "yes" : "no" as StaticString)
    row[.time("time")].time(message.time)
    row.end()
  }
}
