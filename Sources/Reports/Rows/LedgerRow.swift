import HTTPReassembly

/// `ledger`: a figure a row. All are octets but `packets`, `truncated_packets` and `dropped_packets`.
enum LedgerRow {
  /// The table's name.
  static let name = "ledger"
  /// The columns.
  static let columns: [Column] = [.text("class"), .integer("bytes")]

  /// The rows: every class by its name, then the figures about all of them; new ones only at the end.
  ///
  /// While a run goes on, octets can be in no class yet. They are in a row of their own and are no difference, which so is
  /// 0 at any moment; in a finished report there are none of them.
  static func rows(_ ledger: Ledger) -> [(name: String, value: Int)] {
    OctetClass.allCases.map { ($0.name, ledger[$0]) } + [
      ("total", ledger.total), ("original", ledger.original), ("difference", ledger.difference - ledger.pending),
      ("missing", ledger.missing), ("packets", ledger.packets), ("truncated_packets", ledger.truncatedPackets),
      ("dropped_packets", ledger.droppedPackets), ("synthetic", ledger.synthetic),
      ("tls_handshake", ledger.tlsHandshake), ("tls_application_data", ledger.tlsApplicationData),
      ("tls_other", ledger.tlsOther), ("pending", ledger.pending),
    ]
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of ledger: Ledger, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for (name, value) in rows(ledger) {
      row.begin()
      row.name(name)
      row.integer(value)
      row.end()
      try write(&row)
    }
  }
}
