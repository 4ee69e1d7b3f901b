import Shared

/// The static table of HPACK (RFC 7541, Appendix A): 61 fields that both sides know before the first octet.
enum HPACKStaticTable {
  /// The number of its fields. A larger index refers to the dynamic table (RFC 7541 §2.3.3).
  static let count = 61

  /// Octets of all names and values, in the order of the table.
  static let octets: [UInt8] = HPACKTables.fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }

  /// The places of the fields in `octets`, by their index. The first element stands for index 0, which is invalid.
  static let places: [Place] = {
    var places = [Place(start: 0, nameLength: 0, valueLength: 0, nameCode: 0)]
    var start: Int32 = 0
    for field in HPACKTables.fields {
      let place = Place(
        start: start, nameLength: Int32(field.name.utf8.count), valueLength: Int32(field.value.utf8.count),
        nameCode: Array(field.name.utf8).withOctets { FieldNameCode.of($0) })
      places.append(place)
      start += place.nameLength + place.valueLength
    }
    return places
  }()

  /// The place of a field: its name, and its value directly behind.
  struct Place {
    var start: Int32
    var nameLength: Int32
    var valueLength: Int32
    /// The code of its name.
    var nameCode: UInt32
  }
}
