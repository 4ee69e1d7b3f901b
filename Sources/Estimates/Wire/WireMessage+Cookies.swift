extension WireMessage {
  /// Makes one Cookie field of all: HTTP/2 lets a client send each cookie as a field of its own, so that it is compressed, and
  /// whoever looks at them joins them again (RFC 9113 §8.2.3).
  mutating func joinCookies() {
    guard let first = fields.firstIndex(where: { $0.isNamed("cookie") }) else { return }
    var value = fields[first].value
    for field in fields[(first + 1)...] where field.isNamed("cookie") {
      value += [UInt8(ascii: ";"), UInt8(ascii: " ")] + field.value
    }
    let joined = WireField(name: fields[first].name, value: value)
    var index = 0
    fields.removeAll { field in
      defer { index += 1 }
      return index > first && field.isNamed("cookie")
    }
    fields[first] = joined
  }
}
