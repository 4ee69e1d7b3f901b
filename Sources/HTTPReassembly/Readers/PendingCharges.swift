/// Charges and conflicts that wait until the owners of their octets are known: an incomplete line, frame header or record decides later.
///
/// Few connections have any, so they lie in memory of their own.
struct PendingCharges {
  private final class Kept {
    var charges = Sides<[Charge]>(repeating: [])
    /// Ranges that were sent again with different content.
    var conflicts = Sides<[Range<StreamPosition>]>(repeating: [])

    var isEmpty: Bool {
      charges[0].isEmpty && charges[1].isEmpty && conflicts[0].isEmpty && conflicts[1].isEmpty
    }
  }

  private var kept: Kept?

  /// The number of remembered conflicts of a side.
  static let conflictLimit = 64

  /// Whether nothing waits.
  @inline(__always)
  var isEmpty: Bool { kept == nil }

  /// Octets of memory on the heap.
  var memory: Int {
    guard let kept else { return 0 }
    return 80 + (kept.charges[0].capacity + kept.charges[1].capacity) * MemoryLayout<Charge>.stride
      + (kept.conflicts[0].capacity + kept.conflicts[1].capacity) * MemoryLayout<Range<StreamPosition>>.stride
  }

  /// Keeps a charge of a side. Returns false if there is no room for it.
  mutating func keep(_ charge: Charge, of side: Side, _ run: borrowing Run) -> Bool {
    guard (kept?.charges[side].count ?? 0) < run.configuration.pendingChargeLimit else { return false }
    open().charges[side].append(charge)
    return true
  }

  /// Keeps a conflict of a side. Returns false if there is no room for it.
  mutating func keep(_ conflict: Range<StreamPosition>, of side: Side) -> Bool {
    guard (kept?.conflicts[side].count ?? 0) < Self.conflictLimit else { return false }
    open().conflicts[side].append(conflict)
    return true
  }

  private mutating func open() -> Kept {
    let opened = kept ?? Kept()
    kept = opened
    return opened
  }

  /// Removes and returns the charges of a side that are due.
  mutating func takeCharges(_ side: Side, where isDue: (Charge) -> Bool = { _ in true }) -> [Charge] {
    take { $0.charges[side].removeDue(isDue) }
  }

  /// Removes and returns the conflicts of a side that are due.
  mutating func takeConflicts(
    _ side: Side, where isDue: (Range<StreamPosition>) -> Bool = { _ in true }
  ) -> [Range<StreamPosition>] {
    take { $0.conflicts[side].removeDue(isDue) }
  }

  private mutating func take<Item>(_ due: (Kept) -> [Item]) -> [Item] {
    guard let kept else { return [] }
    defer { if kept.isEmpty { self.kept = nil } }
    return due(kept)
  }
}

extension Array {
  /// Removes and returns the items that are due, in their order.
  fileprivate mutating func removeDue(_ isDue: (Element) -> Bool) -> [Element] {
    let due = filter(isDue)
    if !due.isEmpty { removeAll(where: isDue) }
    return due
  }
}

/// How much is known of a gap in the content that a session reads.
enum GapCertainty {
  /// The number of its octets.
  case exact
  /// That it has octets. Their number is an estimate.
  case estimated
  /// Nothing: it may have no octets.
  case possible
}
