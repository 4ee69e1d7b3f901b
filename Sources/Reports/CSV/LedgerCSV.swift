import HTTPReassembly

/// `ledger.csv`: a figure a row. All are octets but `packets`, `truncated_packets` and `dropped_packets`.
enum LedgerCSV {
  /// The file's name.
  static let fileName = "ledger.csv"
  /// The columns.
  static let columns = ["class", "bytes"]

  /// The rows: every class by its name, then the figures about all of them; new ones only at the end.
  static func rows(_ ledger: Ledger) -> [(name: String, value: Int)] {
    OctetClass.allCases.map { ($0.name, ledger[$0]) } + [
      ("total", ledger.total), ("original", ledger.original), ("difference", ledger.difference),
      ("missing", ledger.missing), ("packets", ledger.packets), ("truncated_packets", ledger.truncatedPackets),
      ("dropped_packets", ledger.droppedPackets), ("synthetic", ledger.synthetic),
      ("tls_handshake", ledger.tlsHandshake), ("tls_application_data", ledger.tlsApplicationData),
      ("tls_other", ledger.tlsOther),
    ]
  }

  /// Appends every row to a file.
  static func append(_ ledger: Ledger, to file: OutputFile, _ row: inout CSVRow) throws(ReportError) {
    for (name, value) in rows(ledger) {
      row.begin()
      row.name(name)
      row.integer(value)
      row.end()
      try file.append(row.octets)
    }
  }
}
