/// Charges and conflicts that wait until it is known whose octets they are: an incomplete line, or header of a frame, still has to decide. Few
/// connections ever have any, so that it lies in memory of its own.
final class PendingCharges {
  var charges = Sides<[Charge]>(repeating: [])
  /// Ranges that were sent again with different content.
  var conflicts = Sides<[Range<StreamPosition>]>(repeating: [])

  /// Conflicts of a side that are remembered.
  static let conflictLimit = 64

  /// What waits, from now on with memory of its own.
  static func open(_ pending: inout PendingCharges?) -> PendingCharges {
    let opened = pending ?? PendingCharges()
    pending = opened
    return opened
  }

  var isEmpty: Bool {
    charges[0].isEmpty && charges[1].isEmpty && conflicts[0].isEmpty && conflicts[1].isEmpty
  }

  /// Octets of memory that it takes.
  var memory: Int {
    80 + (charges[0].capacity + charges[1].capacity) * MemoryLayout<Charge>.stride
      + (conflicts[0].capacity + conflicts[1].capacity) * MemoryLayout<Range<StreamPosition>>.stride
  }
}
