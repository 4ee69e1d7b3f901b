/// The memory held by decoders, in octets, with its limit.
///
/// A few octets can ask for 40 KiB (`gzip`, `deflate`), 16 MiB (`br`) or 128 MiB (`zstd`), and every open connection can do so
/// at the same time, so a limit for each message would not bound memory.
final class WindowMemory {
  private let limit: Int
  private(set) var held = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts `octets` more (less, if negative); false, and nothing is counted, if that is beyond the limit.
  func reserve(_ octets: Int) -> Bool {
    guard octets <= limit - held else { return false }
    held += octets
    return true
  }

  /// Counts `octets` less.
  func release(_ octets: Int) {
    held -= octets
  }
}
