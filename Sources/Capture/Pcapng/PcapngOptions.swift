/// The options of a pcapng block, one after another (draft-ietf-opsawg-pcapng §3.5).
struct PcapngOptions {
  /// One option: its code, and where its value is, from the window's cursor.
  struct Option {
    let code: UInt16
    let value: Range<Int>
  }

  /// Whether an option was found that ends beyond the block; nothing is read from there on.
  private(set) var isMalformed = false
  private var rest: Range<Int>
  private let order: ByteOrder

  /// Options in `range`, counted from the window's cursor; an empty or inverted one has none.
  init(_ range: Range<Int>, order: ByteOrder) {
    rest = range
    self.order = order
  }

  /// The next option; nil at the end.
  mutating func next(in window: borrowing OctetWindow) -> Option? {
    guard rest.count >= 4 else { return nil }
    let code = order(window.load(rest.lowerBound, as: UInt16.self))
    let length = Int(order(window.load(rest.lowerBound + 2, as: UInt16.self)))
    let start = rest.lowerBound + 4
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

extension Int {
  /// This length with the padding to 32 bits that pcapng puts behind everything.
  var paddedTo4: Int { (self + 3) & ~3 }
}
