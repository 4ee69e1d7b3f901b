/// Remembers what has been seen, by hashes, up to a limit.
///
/// The hashes are those of the standard library's `Hasher`: 64 bits, keyed anew in every run, so that nobody can prepare
/// different contents that look alike, and two that do so by chance are one in 2^64.
struct RememberedHashes {
  private let limit: Int
  private var hashes: Set<Int> = []
  /// How often something new could not be remembered.
  private(set) var forgotten = 0

  init(limit: Int) { self.limit = limit }

  /// Whether this was seen before; from now on it was.
  mutating func hasSeen(_ hash: Int) -> Bool {
    if hashes.contains(hash) { return true }
    if hashes.count < limit { hashes.insert(hash) } else { forgotten += 1 }
    return false
  }
}
