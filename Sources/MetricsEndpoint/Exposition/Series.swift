import CoreMetrics
import Shared
import Synchronization

/// A value with a name and labels: one line of the page, or two.
protocol Series: AnyObject, Sendable {
  /// Appends the lines as they are now.
  func append(to page: inout [UInt8])
}

/// A count that only grows.
final class CounterSeries: Series, CounterHandler {
  /// The line up to its value. It is kept, since a page is made each second and only the digits change.
  private let head: [UInt8]
  private let value = Atomic<Int64>(0)

  init(name: String, labels: String) { head = Array("\(name)\(labels) ".utf8) }

  /// Adds `amount`, unless it is negative. Stops at the largest number.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    var old = value.load(ordering: .relaxed)
    while true {
      let (sum, overflows) = old.addingReportingOverflow(amount)
      let (exchanged, original) = value.compareExchange(
        expected: old, desired: overflows ? .max : sum, ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }

  func reset() { value.store(0, ordering: .relaxed) }

  func append(to page: inout [UInt8]) {
    page += head
    page += String(value.load(ordering: .relaxed)).utf8
    page.append(UInt8(ascii: "\n"))
  }
}

/// A value that goes up and down.
final class GaugeSeries: Series, RecorderHandler, MeterHandler {
  private let head: [UInt8]
  private let value = Locked<Double>(0)

  init(name: String, labels: String) { head = Array("\(name)\(labels) ".utf8) }

  func record(_ new: Int64) { set(Double(new)) }
  func record(_ new: Double) { set(new) }
  func set(_ new: Int64) { set(Double(new)) }
  func set(_ new: Double) { value.withLock { $0 = new } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }

  func append(to page: inout [UInt8]) {
    page += head
    page += ExpositionText.number(value.withLock { $0 }).utf8
    page.append(UInt8(ascii: "\n"))
  }
}

/// A summary without quantiles: the number of values, and their sum. Durations are in seconds.
final class SummarySeries: Series, RecorderHandler, TimerHandler {
  private let sumHead: [UInt8]
  private let countHead: [UInt8]
  private let state = Locked<(count: Int, sum: Double)>((0, 0))

  init(name: String, labels: String) {
    sumHead = Array("\(name)_sum\(labels) ".utf8)
    countHead = Array("\(name)_count\(labels) ".utf8)
  }

  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func record(_ value: Double) {
    state.withLock {
      $0.count += 1
      $0.sum += value
    }
  }

  func append(to page: inout [UInt8]) {
    let (count, sum) = state.withLock { $0 }
    page += sumHead
    page += ExpositionText.number(sum).utf8
    page.append(UInt8(ascii: "\n"))
    page += countHead
    page += String(count).utf8
    page.append(UInt8(ascii: "\n"))
  }
}
