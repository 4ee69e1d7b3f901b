/// The extent of an instruction on the encoder stream (RFC 9204 §4.3).
enum QPACKInstruction {
  /// All of it is here: the number of its octets.
  case complete(Int)
  /// It has at least this many octets.
  case incomplete(least: Int)
  /// It is too long for any use.
  case invalid

  /// The extent of the instruction at `start`, without a look at its texts: the time does not depend on its length.
  init(_ octets: RawSpan, at start: Int) {
    var offset = start
    let first = octets.octet(start)
    // The bits of its first integer, whether octets of a string follow it, and whether a second string follows.
    let (prefix, isString, hasValue) =
      first & 0x80 != 0 ? (6, false, true) : first & 0x40 != 0 ? (5, true, true) : (5, false, false)
    if let short = Self.pass(octets, start, &offset, prefix: prefix, isString: isString) {
      self = short
    } else if hasValue, let short = Self.pass(octets, start, &offset, prefix: 7, isString: true) {
      self = short
    } else {
      self = .complete(offset - start)
    }
  }

  /// Passes an integer, and the string whose length it is. Returns the extent if not all of it is here.
  private static func pass(
    _ octets: RawSpan, _ start: Int, _ offset: inout Int, prefix: Int, isString: Bool
  ) -> QPACKInstruction? {
    guard offset < octets.byteCount else { return .incomplete(least: offset - start + 1) }
    let before = offset
    guard let number = CodedStrings.integer(octets, &offset, prefix: prefix) else {
      return offset == octets.byteCount && offset - before <= 5 ? .incomplete(least: offset - start + 1) : .invalid
    }
    if isString { offset += number }
    return offset <= octets.byteCount ? nil : .incomplete(least: offset - start)
  }
}
