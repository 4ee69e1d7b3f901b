/// The options of a pcapng block, one after another (draft-ietf-opsawg-pcapng §3.5).
struct PcapngOptions {
  /// One option: its code, and the range of its value from the window's cursor.
  struct Option {
    let code: UInt16
    let value: Range<Int>
  }

  /// Octets before an option's value: its code (2) and its length (2).
  private static let headerLength = 4

  /// Whether an option ends beyond the block; reading ends there.
  private(set) var isMalformed = false
  private var rest: Range<Int>
  private let order: ByteOrder

  /// Options in `range`, counted from the window's cursor; an empty or inverted range has none.
  init(_ range: Range<Int>, order: ByteOrder) {
    rest = range
    self.order = order
  }

  /// The next option; nil at the end.
  mutating func next(in window: borrowing OctetWindow) -> Option? {
    guard rest.count >= Self.headerLength else { return nil }
    let header = order.halves(window.load(rest.lowerBound, as: UInt32.self))
    let (code, length) = (header.0, Int(header.1))
    let start = rest.lowerBound + Self.headerLength
    guard code != 0 else {
      rest = rest.upperBound..<rest.upperBound
      return nil
    }
    guard start + length <= rest.upperBound else {
      isMalformed = true
      rest = rest.upperBound..<rest.upperBound
      return nil
    }
    rest = min(start + length.paddedTo4, rest.upperBound)..<rest.upperBound
    return Option(code: code, value: start..<start + length)
  }
}
