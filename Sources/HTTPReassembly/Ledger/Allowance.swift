/// An amount of work that what comes pays for. It bounds work that a sender could otherwise cause at will.
struct Allowance {
  /// The rest; below 0 after work whose amount was not known before.
  private(set) var left: Int

  /// An allowance of `left` to begin with.
  init(_ left: Int) { self.left = left }

  /// Adds `amount`, up to `most` in all.
  @inline(__always)
  mutating func earn(_ amount: Int, most: Int) { left = min(left + amount, most) }

  /// Takes `amount`. Returns false, and takes nothing, where less is left.
  @inline(__always)
  mutating func take(_ amount: Int) -> Bool {
    guard amount <= left else { return false }
    left -= amount
    return true
  }

  /// Takes `amount` for work that was done.
  @inline(__always)
  mutating func pay(_ amount: Int) { left -= amount }
}
