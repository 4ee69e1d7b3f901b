import Synchronization

/// The octets that a run's rows may take in its files, all formats together.
///
/// It is used up as rows are written, by one thread at a time. The first row that does not fit closes it: no later row is written, even a
/// shorter one. So the rows in the files are complete up to some moment.
public final class RowAllowance: Sendable {
  private let left: Atomic<Int>
  private let isClosed = Atomic<Bool>(false)

  /// Creates an allowance of so many octets; nil means no limit.
  public init(_ octets: Int? = nil) { left = Atomic(octets ?? .max) }

  /// Whether no row has been refused yet.
  @inline(__always)
  package var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Takes room for a row of so many octets. Returns false if there is no room; the allowance is then closed.
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
    left.store(octets, ordering: .relaxed)
    isClosed.store(false, ordering: .relaxed)
  }
}
