import Foundation

/// Converts times of logs into nanoseconds since the Unix epoch.
struct LogTime {
  let unit: LogTimeUnit
  let zone: TimeZone

  /// Seconds from 1970 to Apple's reference date.
  private static let reference: Int64 = 978_307_200
  /// 2200-01-01, the first time that is too late.
  private static let end: Int64 = 7_258_118_400
  /// 2009-01-01; earlier times are not taken for times of app logs. As seconds since 2001 it is 252,460,800.
  private static let start: Int64 = 1_230_768_000

  /// The expectation in error messages.
  static let expected = "a time (ISO 8601, yyyy-MM-dd HH:mm:ss.SSS, or a number since 1970 or 2001)"

  /// The time in a cell; nil when it is absent.
  func time(_ cell: LogCell, _ column: LogColumn = .time) throws(RowProblem) -> Int64? {
    switch cell {
    case .absent: return nil
    case .integer(0) where unit == .automatic, .real(0) where unit == .automatic: return nil
    case .text("0") where unit == .automatic: return nil
    case .integer(let number):
      guard let time = time(seconds: number, nanoseconds: 0) else { throw problem(cell, column) }
      return time
    case .real(let number):
      guard let time = time(number) else { throw problem(cell, column) }
      return time
    case .text(let text):
      if Self.isUnset(text) { return nil }
      guard let time = time(text) else { throw problem(cell, column) }
      return time
    case .octets: throw problem(cell, column)
    }
  }

  /// Whether a text is the zero of a clock, in whichever zone: programs write it for a time that they never set.
  static func isUnset(_ text: String) -> Bool { CalendarTime(text).map { $0.seconds < 2 * 86_400 } ?? false }

  /// The time of a floating-point number; nil when it is out of range.
  func time(_ number: Double) -> Int64? {
    guard number.isFinite, number.magnitude < 9e18 else { return nil }
    let whole = number.rounded(.down)
    return time(seconds: Int64(whole), nanoseconds: Int64(((number - whole) * 1e9).rounded()))
  }

  /// The time of a text, a number or a date; nil for other text.
  func time(_ text: String) -> Int64? {
    if let number = Self.decimal(text) { return time(seconds: number.whole, nanoseconds: number.billionths) }
    guard let date = CalendarTime(text) else { return nil }
    let offset = date.offset ?? localOffset(at: date.seconds)
    let seconds = date.seconds - Int64(offset)
    guard 0..<Self.end ~= seconds else { return nil }
    return seconds * 1_000_000_000 + Int64(date.nanoseconds)
  }

  /// The time of a whole number of units and the billionths of one unit beside them.
  private func time(seconds whole: Int64, nanoseconds billionths: Int64) -> Int64? {
    guard let unit = unit == .automatic ? Self.unit(of: whole) : unit else { return nil }
    let perSecond: Int64 =
      switch unit {
      case .automatic, .seconds, .referenceSeconds: 1
      case .milliseconds: 1_000
      case .microseconds: 1_000_000
      case .nanoseconds: 1_000_000_000
      }
    let seconds = whole / perSecond + (unit == .referenceSeconds ? Self.reference : 0)
    guard whole >= 0, 0..<Self.end ~= seconds else { return nil }
    let perUnit = 1_000_000_000 / perSecond
    return seconds * 1_000_000_000 + whole % perSecond * perUnit + billionths / perSecond
  }

  private static func unit(of number: Int64) -> LogTimeUnit? {
    switch number {
    case start - reference..<start: .referenceSeconds
    case start..<end: .seconds
    case start * 1_000..<end * 1_000: .milliseconds
    case start * 1_000_000..<end * 1_000_000: .microseconds
    case start * 1_000_000_000..<end * 1_000_000_000: .nanoseconds
    default: nil
    }
  }

  /// Digits with at most one point or comma among them, exact to the billionth.
  private static func decimal(_ text: String) -> (whole: Int64, billionths: Int64)? {
    let octets = text.utf8
    let mark = octets.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") } ?? octets.endIndex
    guard mark != octets.startIndex, octets[..<mark].allSatisfy(CalendarTime.isDigit),
      let whole = Int64(text[..<mark])
    else { return nil }
    guard mark != octets.endIndex else { return (whole, 0) }
    guard let billionths = CalendarTime.billionths(octets[octets.index(after: mark)...]) else { return nil }
    return (whole, Int64(billionths))
  }

  /// Seconds that local time is ahead of UTC. An hour that occurs twice in autumn is taken as the first one. A time that spring
  /// skips counts as if the clock had not been put forward.
  private func localOffset(at local: Int64) -> Int {
    if zone == .gmt { return 0 }
    let before = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - 86_400)))
    let guess = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - Int64(before))))
    if guess == before { return before }
    let after = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local - Int64(guess))))
    return after == guess ? guess : before
  }

  private func problem(_ cell: LogCell, _ column: LogColumn) -> RowProblem {
    let words =
      unit == .automatic
      ? "\(Self.expected) between 2009 and 2200" : "\(Self.expected), \(unit.rawValue), before 2200"
    return RowProblem(column, expected: words, found: cell)
  }
}
