import HTTPReassembly

/// Texts of one pool copied to another, which belongs to another thread.
///
/// Most texts repeat, so copies are found by the number of the original.
struct CopiedTexts: Sendable {
  /// Octets of texts that are kept for later rows.
  private static let limit = 256 << 10
  private static let knownCount = 1024

  /// The copies.
  private(set) var texts = TextPool()
  private var known = Self.nothing

  private static var nothing: [(serial: Int, copy: TextID)] { Array(repeating: (0, .none), count: knownCount) }

  init() {}

  /// Whether there are more texts than should be copied at a time.
  var isFull: Bool { texts.memory > 4 * Self.limit }

  /// The copy of a text of `source`, which must be the same pool each time.
  @inline(__always)
  mutating func copy(_ id: TextID, of source: borrowing TextPool) -> TextID {
    guard id != .none else { return .none }
    let serial = source.serial(id)
    let slot = serial & (Self.knownCount - 1)
    if known[slot].serial == serial { return known[slot].copy }
    let copy = texts.intern(id, of: source)
    known[slot] = (serial, copy)
    return copy
  }

  /// Removes the copies if there are many. They are no longer used.
  mutating func forgetMany() {
    guard texts.memory > Self.limit else { return }
    texts = TextPool()
    known = Self.nothing
  }
}
