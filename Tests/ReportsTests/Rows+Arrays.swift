import HTTPReassembly

@testable import Reports
@testable import Tabular

// Rows as arrays, which tests have.

extension OrderedRows {
  mutating func add(_ number: Int, _ row: [UInt8]) throws(ReportError) {
    try row.withOctets { octets throws(ReportError) in try add(number, octets) }
  }
}

extension NumberedTable {
  mutating func add(_ number: Int, _ row: [UInt8]) throws(ReportError) {
    try row.withOctets { octets throws(ReportError) in try add(number, octets) }
  }
}
