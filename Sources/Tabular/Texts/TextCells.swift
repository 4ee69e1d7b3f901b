import Packets

/// Cells of texts that rows have again and again, made once for each text and then copied.
///
/// A text is recognised by where its octets are: the table holds on to the array, so that nothing else can be there, and
/// what is shared is not changed. So it does not matter which pool a text is of.
public struct TextCells: ~Copyable {
  @usableFromInline
  struct Slot {
    /// Address of the text's octets; 0 in an empty slot.
    @usableFromInline var address = 0
    @usableFromInline var textLength = 0
    /// The cell's range in `cells`.
    @usableFromInline var start = 0
    @usableFromInline var length = 0
  }

  /// Slots of the table: a power of two. With more texts than that, some cells are made again.
  @usableFromInline static var slotCount: Int { 2048 }
  /// Octets of the longest text that is held: a longer one is rare and not worth the memory.
  private static let longestText = 256
  /// Octets of cells, after which the table starts anew.
  private static let cellsLimit = 512 << 10

  @usableFromInline var slots = [Slot](repeating: Slot(), count: slotCount)
  @usableFromInline var cells = OctetBuffer(capacity: 4096)
  private var held = [[UInt8]](repeating: [], count: slotCount)

  /// An empty table.
  package init() {}

  /// Whether the cell of a text is held.
  package func has(_ text: RawSpan) -> Bool {
    let address = Self.address(text)
    let slot = slots[Self.slot(address)]
    return slot.address == address && slot.textLength == text.byteCount
  }

  /// Appends the cell of a text to a row. Returns whether it was known.
  @inlinable
  @inline(__always)
  package func append(cellOf text: RawSpan, to row: inout RowBuffer) -> Bool {
    let address = Self.address(text)
    let slot = slots[Self.slot(address)]
    guard slot.address == address, slot.textLength == text.byteCount else { return false }
    cells.withOctets { row.append($0.extracting(slot.start..<slot.start &+ slot.length)) }
    return true
  }

  /// Remembers the cell of a text, which stands at the end of a row.
  ///
  /// - Parameters:
  ///   - text: The text, in the memory in which it comes again.
  ///   - start: Where the cell begins in the row.
  ///   - row: The row.
  @inline(never)
  package mutating func remember(_ text: [UInt8], cellFrom start: Int, of row: borrowing RowBuffer) {
    guard !text.isEmpty, text.count <= Self.longestText else { return }
    if cells.count > Self.cellsLimit { self = TextCells() }
    let address = text.withOctets { Self.address($0) }
    let index = Self.slot(address)
    let cell = cells.count
    row.withOctets { cells.append($0.extracting(start..<$0.byteCount)) }
    held[index] = text
    slots[index] = Slot(address: address, textLength: text.count, start: cell, length: cells.count - cell)
  }

  /// The address is compared and never read from.
  @inlinable
  @inline(__always)
  static func address(_ text: RawSpan) -> Int { unsafe text.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }

  @inlinable
  @inline(__always)
  static func slot(_ address: Int) -> Int {
    // Arrays are 16 octets apart at least.
    Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: address)) &* 0x9e37_79b9_7f4a_7c15) >> 53)
  }
}
