/// Charges and conflicts that wait until the owners of their octets are known.
///
/// An incomplete line or frame header decides later. Few connections have any, so it lies in memory of its own.
final class PendingCharges {
  var charges = Sides<[Charge]>(repeating: [])
  /// Ranges that were sent again with different content.
  var conflicts = Sides<[Range<StreamPosition>]>(repeating: [])

  /// The number of remembered conflicts of a side.
  static let conflictLimit = 64

  /// Returns the pending charges, and allocates them if necessary.
  static func open(_ pending: inout PendingCharges?) -> PendingCharges {
    let opened = pending ?? PendingCharges()
    pending = opened
    return opened
  }

  var isEmpty: Bool {
    charges[0].isEmpty && charges[1].isEmpty && conflicts[0].isEmpty && conflicts[1].isEmpty
  }

  /// Octets of its memory.
  var memory: Int {
    80 + (charges[0].capacity + charges[1].capacity) * MemoryLayout<Charge>.stride
      + (conflicts[0].capacity + conflicts[1].capacity) * MemoryLayout<Range<StreamPosition>>.stride
  }
}
