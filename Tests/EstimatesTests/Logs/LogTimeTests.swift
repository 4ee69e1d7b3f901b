import Foundation
import Testing

@testable import Estimates

@Suite("Times in logs")
struct LogTimeTests {
  private func time(_ text: String, _ unit: LogTimeUnit = .automatic, zone: String = "UTC") throws -> Int64? {
    LogTime(unit: unit, zone: try #require(TimeZone(identifier: zone))).time(text)
  }

  @Test(
    "units are told by their magnitude",
    arguments: [
      "1772359200", "1772359200.0", "1772359200,000", "1772359200000", "1772359200000000", "1772359200000000000",
      "794052000", "794052000.0", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00+00:00", "2026-03-01 10:00:00 +0000",
      "2026-03-01T10:00:00.000000", "2026-03-01T11:30:00+01:30", "2026-03-01t05:00:00-05", "2026-03-01 10:00:00,000",
      "01/Mar/2026:10:00:00 +0000", "[01/Mar/2026:11:00:00 +0100]",
    ])
  func units(text: String) throws { #expect(try time(text) == tenOClock) }

  @Test("fractions are exact to the nanosecond")
  func fractions() throws {
    #expect(try time("1772359200.123456789") == tenOClock + 123_456_789)
    #expect(try time("1772359200123.456789") == tenOClock + 123_456_789)
    #expect(try time("1772359200123456789") == tenOClock + 123_456_789)
    #expect(try time("2026-03-01T10:00:00.1234567899Z") == tenOClock + 123_456_789)
    #expect(try time("2026-03-01 10:00:00.5") == tenOClock + 500_000_000)
  }

  @Test(
    "what is no time, or none that a log can have, is nil",
    arguments: [
      "", "now", "0", "12.5", "-1772359200", "1e9", "1.", ".5", "NaN", "inf", "9999999999999999999999", "7258118400",
      "252460799", "2026-03-01", "2026-02-29T10:00:00Z", "2026-13-01T10:00:00Z", "2026-03-01T24:00:00Z",
      "2026-03-01T10:60:00Z", "2026-03-01T10:00:00.Z", "2026-03-01T10:00:00+1", "2026-03-01T10:00:00Zulu",
      "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "03/01/2026 10:00", "01/Mai/2026:10:00:00 +0000",
      "29/Feb/2026:10:00:00 +0000", "01/Mar/2026 10:00:00",
      "1772359200 ", "１７７２３５９２００",
    ])
  func nonsense(text: String) throws { #expect(try time(text) == nil) }

  @Test("the zero of a clock is a time that was never set, unless the unit is given")
  func unset() throws {
    let times = LogTime(unit: .automatic, zone: .gmt)
    for cell in [
      LogCell.integer(0), .real(0), .text("0"), .text("1970-01-01T00:00:00Z"), .text("1970-01-01 09:00:00 +0900"),
      .text("0001-01-01T00:00:00"),
    ] {
      #expect(try times.time(cell) == nil)
    }
    #expect(try times.time(.text("1999-12-31T00:00:00Z")) != nil)
    #expect(throws: RowProblem.self) { try times.time(.integer(1)) }
    #expect(try LogTime(unit: .seconds, zone: .gmt).time(.integer(0)) == 0)
  }

  @Test("a unit that is given is taken at its word")
  func given() throws {
    #expect(try time("1000", .milliseconds) == 1_000_000_000)
    #expect(try time("1772359200", .referenceSeconds) == (1_772_359_200 + 978_307_200) * 1_000_000_000)
    #expect(try time("1772359200000", .seconds) == nil)
  }

  @Test("a time without a zone is in the zone that is given, winter, summer and in between")
  func zones() throws {
    let paris = "Europe/Paris"
    #expect(try time("2026-03-01 11:00:00", zone: paris) == tenOClock)
    #expect(try time("2026-03-01T10:00:00Z", zone: paris) == tenOClock)
    // The clock is put forward on 2026-03-29 at 01:00Z and back on 2026-10-25 at 01:00Z.
    for (local, utc) in [
      ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"), ("2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
      ("2026-07-01T12:00:00", "2026-07-01T10:00:00Z"), ("2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
      ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z"), ("2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
    ] {
      #expect(try time(local, zone: paris) == time(utc), "\(local)")
    }
  }

  @Test("dates agree with Foundation's calendar over two centuries")
  func calendar() throws {
    let format = ISO8601DateFormatter()
    for day in stride(from: 0, to: 84_000, by: 13) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_261)
      #expect(try time(format.string(from: date)) == Int64(date.timeIntervalSince1970) * 1_000_000_000)
    }
  }

  @Test("a floating-point number keeps its microseconds")
  func real() throws {
    let times = LogTime(unit: .automatic, zone: .gmt)
    let found = try #require(times.time(1_772_359_200.25))
    #expect(found == tenOClock + 250_000_000)
    for number in [Double.nan, .infinity, -.infinity, 1e300, -1, 0] { #expect(times.time(number) == nil) }
  }
}
