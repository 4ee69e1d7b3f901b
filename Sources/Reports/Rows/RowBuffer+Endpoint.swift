import HTTPReassembly

extension RowBuffer {
  /// Appends `address:port`, the address hashed if there is a redaction.
  mutating func append(_ endpoint: Endpoint, _ redaction: Redaction?) {
    guard let redaction else { return append(endpoint) }
    append(redaction.address(endpoint.address))
    append(UInt8(ascii: ":"))
    append(Int(endpoint.port))
  }

  /// Appends the text of an endpoint that was not written lately.
  mutating func write(_ endpoint: Endpoint) {
    let address = endpoint.address
    if address.isIPv4 {
      for shift in stride(from: UInt64(24), through: 0, by: -8) {
        append(Int(address.low >> shift & 0xff))
        append(shift == 0 ? UInt8(ascii: ":") : UInt8(ascii: "."))
      }
    } else {
      append(UInt8(ascii: "["))
      appendIPv6(address)
      append(UInt8(ascii: "]"))
      append(UInt8(ascii: ":"))
    }
    append(Int(endpoint.port))
  }

  /// The canonical text of RFC 5952, as `IPAddress.description` has it, without making a string of it.
  private mutating func appendIPv6(_ address: IPAddress) {
    func group(_ index: Int) -> UInt16 {
      UInt16(truncatingIfNeeded: (index < 4 ? address.high : address.low) >> UInt64((3 - index % 4) * 16))
    }
    // §4.2: the longest run of two or more zero groups, the first of equals, becomes "::".
    var longest = 0..<0
    var start = 0
    for index in 0...8 where index == 8 || group(index) != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    var index = 0
    while index < 8 {
      if longest.contains(index) {
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: ":"))
        index = longest.upperBound
        continue
      }
      if index > 0, index != longest.upperBound || longest.isEmpty { append(UInt8(ascii: ":")) }
      appendHexadecimal(group(index))
      index += 1
    }
  }

  private mutating func appendHexadecimal(_ group: UInt16) {
    var isLeading = true
    for shift in stride(from: UInt16(12), through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: group >> shift & 0xf)
      if digit == 0, isLeading, shift > 0 { continue }
      isLeading = false
      append(TextEscaping.hexadecimalDigit(digit))
    }
  }
}
