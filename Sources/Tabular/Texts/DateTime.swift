extension RowBuffer {
  /// Appends a time in nanoseconds since the Unix epoch as in RFC 3339, in UTC and with all nine decimals. So it is exact, and texts sort
  /// like times.
  package mutating func appendDateTime(_ time: Int64) {
    let (seconds, nanoseconds) = Self.floorDivided(time, by: 1_000_000_000)
    let (days, second) = Self.floorDivided(seconds, by: 86_400)
    // Days of the Gregorian calendar, in eras of 400 years. Years start on 1 March, so that a leap day is the last of a year.
    let (era, day) = Self.floorDivided(days + 719_468, by: 146_097)
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    appendDigits(year + era * 400 + (month >= 10 ? 1 : 0), 4)
    append(UInt8(ascii: "-"))
    appendDigits(month < 10 ? month + 3 : month - 9, 2)
    append(UInt8(ascii: "-"))
    appendDigits(dayOfYear - (153 * month + 2) / 5 + 1, 2)
    append(UInt8(ascii: "T"))
    appendDigits(second / 3600, 2)
    append(UInt8(ascii: ":"))
    appendDigits(second / 60 % 60, 2)
    append(UInt8(ascii: ":"))
    appendDigits(second % 60, 2)
    append(UInt8(ascii: "."))
    appendDigits(nanoseconds, 9)
    append(UInt8(ascii: "Z"))
  }

  private mutating func appendDigits(_ value: Int64, _ count: Int) {
    var unit: Int64 = 1
    for _ in 1..<count { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / unit % 10))
      unit /= 10
    }
  }

  private static func floorDivided(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
