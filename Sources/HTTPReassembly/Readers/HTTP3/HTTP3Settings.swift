/// The settings of a side that control how the other side's octets are read (RFC 9114 §7.2.4, RFC 9204 §5).
struct HTTP3Settings {
  /// The largest capacity of the other side's dynamic table, in octets. It is 0 unless it is set.
  private(set) var tableCapacity: UInt64 = 0
  /// Whether the frame was read, or cannot be.
  var isKnown = false
  private var integer = HTTP3Integer()
  private var identifier: UInt64?

  /// Takes octets of the SETTINGS frame.
  mutating func take(_ octets: RawSpan) {
    var offset = 0
    while let number = integer.take(octets, &offset) {
      if let known = identifier {
        if known == 1 { tableCapacity = number }
        identifier = nil
      } else {
        identifier = number
      }
    }
  }
}
