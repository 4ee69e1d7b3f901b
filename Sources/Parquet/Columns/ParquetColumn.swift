/// A column of a Parquet file.
package struct ParquetColumn: Sendable {
  /// The type of its cells.
  package enum Kind: Sendable {
    /// A whole number (INT64).
    case integer
    /// Nanoseconds since the Unix epoch (INT64, TIMESTAMP in UTC).
    case time
    /// A number in millionths (DECIMAL of 19 digits, 6 of them decimals), exact for every 64-bit integer.
    case millionths
    /// UTF-8 (BYTE_ARRAY, STRING).
    case text
  }

  /// The name.
  package let name: String
  /// The type of its cells.
  package let kind: Kind
  /// Whether a cell may be null.
  package let isOptional: Bool

  /// Describes a column.
  package init(_ name: String, _ kind: Kind, isOptional: Bool) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
  }
}

extension ParquetColumn {
  /// The length of a decimal in octets, enough for 19 digits.
  static let decimalLength = 9
  private static let precision: Int32 = 19
  private static let scale: Int32 = 6

  /// The number of the physical type.
  var type: Int32 {
    switch kind {
    case .integer, .time: 2
    case .text: 6
    case .millionths: 7
    }
  }

  /// Writes the fields of a `SchemaElement`.
  func describe(to thrift: inout CompactWriter) {
    thrift.integer32(1, type)
    if kind == .millionths { thrift.integer32(2, Int32(Self.decimalLength)) }
    thrift.integer32(3, isOptional ? 1 : 0)
    thrift.text(4, name)
    switch kind {
    case .integer: break
    case .text:
      thrift.integer32(6, 0)
      thrift.structure(10) { $0.empty(1) }
    case .millionths:
      thrift.integer32(6, 5)
      thrift.integer32(7, Self.scale)
      thrift.integer32(8, Self.precision)
      thrift.structure(10) { type in
        type.structure(5) {
          $0.integer32(1, Self.scale)
          $0.integer32(2, Self.precision)
        }
      }
    case .time:
      // No older reader knows a type for nanoseconds: without one, it sees an integer.
      thrift.structure(10) { type in
        type.structure(8) {
          $0.flag(1, true)
          $0.structure(2) { $0.empty(3) }
        }
      }
    }
  }

  /// Appends the octets of a number, as in the file without a dictionary and in the statistics.
  func append(_ value: Int64, to octets: inout [UInt8]) {
    guard kind == .millionths else { return octets.append(littleEndian: UInt64(bitPattern: value)) }
    octets.append(value < 0 ? 0xff : 0)
    for shift in stride(from: 56, through: 0, by: -8) {
      octets.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
    }
  }
}
