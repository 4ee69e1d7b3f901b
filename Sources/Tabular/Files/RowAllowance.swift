import Synchronization

/// How many octets the rows of a run may take in its files, all formats together.
///
/// It is used up as rows are written, by one thread at a time. With the first row that does not fit it is closed: no later row
/// is written either, however short it is, so that what is there is all up to some moment.
public final class RowAllowance: Sendable {
  private let left: Atomic<Int>
  private let isClosed = Atomic<Bool>(false)

  /// Room for so many octets; nil: for any number.
  public init(_ octets: Int? = nil) { left = Atomic(octets ?? .max) }

  /// Whether no row was refused yet.
  @inline(__always)
  package var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Takes room for a row of so many octets. Returns whether there is room; if not, the allowance is closed.
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

  /// Gives back what was taken and is not needed. What is closed stays closed.
  package func giveBack(_ octets: Int) { left.add(octets, ordering: .relaxed) }

  /// Opens it again, with room for so many octets.
  public func renew(_ octets: Int) {
    left.store(octets, ordering: .relaxed)
    isClosed.store(false, ordering: .relaxed)
  }
}
