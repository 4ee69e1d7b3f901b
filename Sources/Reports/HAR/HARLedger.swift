import HTTPReassembly

/// `_wireLedger` of the log: every class of octets, also those that no entry has.
enum HARLedger {
  /// Appends the classes by their names, and what they add up to.
  static func append(_ ledger: Ledger, to json: inout JSONWriter) {
    json.key("_wireLedger")
    json.open("{")
    for octetClass in OctetClass.allCases {
      json.key(octetClass.name)
      json.integer(ledger[octetClass])
    }
    for (name, value) in [
      ("total", ledger.total), ("original", ledger.original), ("difference", ledger.difference),
      ("missing", ledger.missing),
    ] {
      json.key(name)
      json.integer(value)
    }
    json.close("}")
  }
}
