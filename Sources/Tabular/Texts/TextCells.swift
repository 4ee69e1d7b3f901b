import Packets

/// Cells of repeated texts, made once for each text and then copied.
///
/// A text is recognized by the address of its octets. The table retains the array, so the address cannot be reused, and shared arrays do
/// not change. So texts of any pool may be used.
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

  /// The number of slots, a power of two. With more texts, some cells are made again.
  @usableFromInline static var slotCount: Int { 2048 }
  /// The longest text kept, in octets. Longer ones are rare and not worth the memory.
  private static let longestText = 256
  /// Octets of cells after which the table starts anew.
  private static let cellsLimit = 512 << 10

  @usableFromInline var slots = [Slot](repeating: Slot(), count: slotCount)
  @usableFromInline var cells = OctetBuffer(capacity: 4096)
  private var held = [[UInt8]](repeating: [], count: slotCount)

  /// Creates an empty table.
  package init() {}

  /// The number of the cell of a text, until another one is kept; nil if the cell is not kept.
  @inlinable
  @inline(__always)
  package func cell(of text: RawSpan) -> Int? {
    let address = Self.address(text)
    let cell = Self.slot(address)
    return slots[cell].address == address && slots[cell].textLength == text.byteCount ? cell : nil
  }

  /// Appends the cell of a number to a row.
  @inlinable
  @inline(__always)
  package func append(_ cell: Int, to row: inout RowBuffer) {
    let (start, length) = (slots[cell].start, slots[cell].length)
    cells.withOctets {
      if length <= OctetBuffer.pieceLength {
        row.append(length, ofPiece: $0.extracting(start..<start &+ OctetBuffer.pieceLength))
      } else {
        row.append($0.extracting(start..<start &+ length))
      }
    }
  }

  /// Keeps the cell of a text, which is at the end of a row.
  ///
  /// - Parameters:
  ///   - text: The text, in the memory in which it will come again.
  ///   - start: The start of the cell in the row.
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
    while cells.count < cell + OctetBuffer.pieceLength { cells.append(0) }
  }

  /// The address of the octets, which is only compared, never read from.
  @inlinable
  @inline(__always)
  static func address(_ text: RawSpan) -> Int { unsafe text.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }

  @inlinable
  @inline(__always)
  static func slot(_ address: Int) -> Int {
    // Arrays are at least 16 octets apart.
    Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: address)) &* 0x9e37_79b9_7f4a_7c15) >> 53)
  }
}
