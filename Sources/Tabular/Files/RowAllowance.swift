import Synchronization

/// The octets that a run's rows may take in its files, all formats together.
///
/// A report with totals reserves a quarter of them for their rows, which also get what other rows leave. Totals are written after all other
/// rows, and in a live run again and again.
///
/// It is used up as rows are written, by one thread at a time. The first row that does not fit closes it: no later row is written, even a
/// shorter one. So the rows in the files are complete up to some moment.
public final class RowAllowance: Sendable {
  /// Octets left for rows that come one by one.
  @usableFromInline let left: Atomic<Int>
  /// Octets for rows of totals alone.
  private let share = Atomic<Int>(0)
  /// Octets left for rows of totals, since they were last written.
  private let leftForTotals = Atomic<Int>(.max)
  private let totalsOut = Atomic<Int>(0)
  @usableFromInline let isClosed = Atomic<Bool>(false)

  /// Creates an allowance of so many octets; nil means no limit.
  public init(_ octets: Int? = nil) { left = Atomic(octets ?? .max) }

  /// Whether no row has been refused yet.
  @inlinable
  @inline(__always)
  package var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Takes room for a row of so many octets. Returns false if there is no room; the allowance is then closed.
  @inlinable
  @inline(__always)
  @discardableResult
  package func take(_ octets: Int) -> Bool {
    guard isOpen else { return false }
    let rest = left.load(ordering: .relaxed)
    guard rest >= octets else {
      isClosed.store(true, ordering: .relaxed)
      return false
    }
    left.store(rest - octets, ordering: .relaxed)
    return true
  }

  /// Whether a row of so many octets would fit.
  package func hasRoom(for octets: Int) -> Bool { isOpen && left.load(ordering: .relaxed) >= octets }

  /// Gives back unneeded room. A closed allowance stays closed.
  package func giveBack(_ octets: Int) { left.add(octets, ordering: .relaxed) }

  /// Reopens the allowance, with room for so many octets.
  public func renew(_ octets: Int) {
    let reserves = share.load(ordering: .relaxed) > 0
    left.store(octets, ordering: .relaxed)
    if reserves { reserveTotals() }
    isClosed.store(false, ordering: .relaxed)
  }

  // MARK: Totals

  /// Rows of totals that were refused since `beginTotals`.
  package var totalsLeftOut: Int { totalsOut.load(ordering: .relaxed) }

  /// Keeps a quarter of what is left for rows of totals alone.
  package func reserveTotals() {
    let octets = left.load(ordering: .relaxed)
    share.store(octets / 4, ordering: .relaxed)
    left.store(octets - octets / 4, ordering: .relaxed)
  }

  /// Begins to write the totals of every format, in place of those before.
  package func beginTotals() {
    let (sum, overflows) = share.load(ordering: .relaxed).addingReportingOverflow(max(left.load(ordering: .relaxed), 0))
    leftForTotals.store(overflows ? .max : sum, ordering: .relaxed)
    totalsOut.store(0, ordering: .relaxed)
  }

  /// Takes room for a row of totals of so many octets. A row that `isNeeded` is counted and never refused. After the first one that was
  /// refused, every other is, too.
  package func takeTotal(_ octets: Int, isNeeded: Bool) -> Bool {
    let rest = leftForTotals.load(ordering: .relaxed)
    guard isNeeded || totalsLeftOut == 0 && rest >= octets else {
      totalsOut.add(1, ordering: .relaxed)
      return false
    }
    leftForTotals.store(max(rest, octets) - octets, ordering: .relaxed)
    return true
  }
}
