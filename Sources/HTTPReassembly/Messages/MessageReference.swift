/// The owner of octets: a message by its row and its number, the tunnel of a stream, or none.
///
/// Rows are reused; numbers are not. Every connection has two references at rest, so one takes eight octets: the row and the low half of the
/// number, which comes again after 2^32 messages.
struct MessageReference: Equatable {
  private var value: UInt64

  /// A message.
  @inline(__always)
  init(row: RowIndex, number: Int) {
    value = UInt64(UInt32(truncatingIfNeeded: row)) << 32 | UInt64(UInt32(truncatingIfNeeded: number))
  }

  private init(value: UInt64) { self.value = value }

  /// No message.
  @inline(__always)
  static var none: MessageReference { MessageReference(value: .max) }

  /// No message, but the tunnel of a stream (RFC 9000 §2.1: a number has 62 bits).
  static func tunnel(_ stream: UInt64) -> MessageReference { MessageReference(value: 1 << 63 | stream) }

  /// The stream whose tunnel it is; nil for all else.
  var tunnel: UInt64? { isNone && self != .none ? value & (1 << 63 - 1) : nil }

  /// Whether it is no message.
  @inline(__always)
  var isNone: Bool { value >> 63 != 0 }

  /// The row of the message; negative for none.
  @inline(__always)
  var row: RowIndex { RowIndex(truncatingIfNeeded: Int64(bitPattern: value) >> 32) }

  /// Whether the message still takes octets and charges.
  @inline(__always)
  func isOpen(_ rows: borrowing RowStore) -> Bool {
    guard !isNone, rows.messages.contains(Int(row)) else { return false }
    let number = UInt32(truncatingIfNeeded: value)
    return rows.messages.look(Int(row)) { UInt32(truncatingIfNeeded: $0.message.number) == number && !$0.isFinal }
  }

  /// Changes the message if it still takes octets and charges. Returns whether it does.
  @inline(__always)
  func change(_ rows: inout RowStore, _ body: (inout Message) -> Void) -> Bool {
    guard !isNone, rows.messages.contains(Int(row)) else { return false }
    let number = UInt32(truncatingIfNeeded: value)
    return rows.messages.change(Int(row)) { open in
      guard UInt32(truncatingIfNeeded: open.message.number) == number, !open.isFinal else { return false }
      body(&open.message)
      return true
    }
  }

  /// Charges a segment without payload, which acknowledges octets of the message. Returns the octets that the message does not take.
  @inline(__always)
  func chargeAcknowledgment(_ overhead: Int, _ rows: inout RowStore) -> Int {
    let isTaken = change(&rows) { message in
      message.overhead += overhead
      message.returned += overhead
    }
    return isTaken ? 0 : overhead
  }
}
