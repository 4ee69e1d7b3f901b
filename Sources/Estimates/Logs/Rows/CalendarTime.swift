/// A date with a time of day, as in RFC 3339 and ISO 8601. It has `yyyy-MM-dd`, `T` or a space, `HH:mm:ss`, and a fraction after
/// a point or comma. A zone (`Z`, `+hh:mm`, `+hhmm`, `+hh`) may follow, with or without a space. In servers' logs, the date is
/// `dd/MMM/yyyy` with a colon behind it.
struct CalendarTime: Equatable {
  /// Seconds since 1970 on a clock that shows this time.
  let seconds: Int64
  /// Nanoseconds to add; finer digits are cut off.
  let nanoseconds: Int
  /// Seconds that the clock is ahead of UTC; nil when the text names no zone.
  let offset: Int?

  /// Parses a time; nil for other text. A leap second counts as the second after it.
  init?(_ text: String) {
    var rest = text.utf8[...]
    guard let (year, month, day) = Self.date(&rest) ?? Self.serversDate(&rest), 1...12 ~= month,
      1...Self.days(inMonth: month, of: year) ~= day,
      let hour = Self.number(&rest, digits: 2), hour < 24, Self.take(&rest, ":"),
      let minute = Self.number(&rest, digits: 2), minute < 60, Self.take(&rest, ":"),
      let second = Self.number(&rest, digits: 2), second < 61
    else { return nil }
    var nanoseconds = 0
    if Self.take(&rest, ".") || Self.take(&rest, ",") {
      let digits = rest.prefix(while: Self.isDigit)
      guard let fraction = Self.billionths(digits) else { return nil }
      nanoseconds = fraction
      rest = rest[digits.endIndex...]
    }
    guard let offset = Self.zone(&rest), rest.isEmpty else { return nil }
    seconds =
      Self.daysSince1970(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    self.nanoseconds = nanoseconds
    self.offset = offset
  }

  /// `yyyy-MM-dd` and what separates it from the time; else nil, and nothing is taken.
  private static func date(_ text: inout Substring.UTF8View) -> (year: Int, month: Int, day: Int)? {
    var rest = text
    guard let year = number(&rest, digits: 4), take(&rest, "-"), let month = number(&rest, digits: 2),
      take(&rest, "-"), let day = number(&rest, digits: 2), take(&rest, "T") || take(&rest, "t") || take(&rest, " ")
    else { return nil }
    text = rest
    return (year, month, day)
  }

  /// `dd/MMM/yyyy:`, as Apache and nginx write it, in brackets or not; else nil.
  private static func serversDate(_ rest: inout Substring.UTF8View) -> (year: Int, month: Int, day: Int)? {
    if take(&rest, "["), rest.last == UInt8(ascii: "]") { rest.removeLast() }
    guard let day = number(&rest, digits: 2), take(&rest, "/"),
      let month = months.firstIndex(where: { rest.starts(with: $0.utf8) })
    else { return nil }
    rest.removeFirst(3)
    guard take(&rest, "/"), let year = number(&rest, digits: 4), take(&rest, ":") else { return nil }
    return (year, month + 1, day)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func isDigit(_ octet: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet }

  /// A fraction's digits as billionths; nil without digits, or with other characters.
  static func billionths(_ digits: Substring.UTF8View) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    var value = 0
    for digit in digits.prefix(9) { value = value * 10 + Int(digit - UInt8(ascii: "0")) }
    for _ in 0..<max(0, 9 - digits.count) { value *= 10 }
    return value
  }

  private static func take(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
    rest.removeFirst(digits)
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// The zone's seconds; the inner nil is no zone, the outer nil is invalid text.
  private static func zone(_ rest: inout Substring.UTF8View) -> Int?? {
    if rest.isEmpty { return .some(nil) }
    _ = take(&rest, " ")
    if take(&rest, "Z") || take(&rest, "z") { return 0 }
    let sign: Int
    if take(&rest, "+") { sign = 1 } else if take(&rest, "-") { sign = -1 } else { return nil }
    guard let hours = number(&rest, digits: 2), hours < 24 else { return nil }
    if rest.isEmpty { return sign * hours * 3600 }
    _ = take(&rest, ":")
    guard let minutes = number(&rest, digits: 2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days of the Gregorian calendar. Years begin in March here, so that the leap day is at the end.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    // There are 719,468 days between 0000-03-01 and 1970-01-01.
    let leapDays = year >= 0 ? year / 4 - year / 100 + year / 400 : -1
    return Int64(year * 365 + leapDays + dayOfYear - 719_468)
  }
}
