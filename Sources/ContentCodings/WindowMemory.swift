/// The octets of memory that decoders hold, with their limit.
///
/// A few octets can ask for 40 KiB (`gzip`, `deflate`), 16 MiB (`br`) or 128 MiB (`zstd`). Every open connection can do so at the same
/// time, so a limit for each message would not bound memory.
///
/// Larger windows than usual take only unused memory: one `zstd` window of 128 MiB is half of a whole run's limit.
final class WindowMemory {
  /// Octets that a decoder may always take at once while decoders have memory. It is the largest window of `br` (RFC 7932 §9.1), and twice
  /// the largest of `zstd` in HTTP (RFC 9659).
  static let usual = 17 << 20

  private let limit: Int
  private(set) var held = 0
  /// Octets that larger windows than usual may take.
  var room = Int.max

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts `octets` more, or less if negative. False if that exceeds the limit; then none are counted.
  func reserve(_ octets: Int) -> Bool {
    guard octets <= limit - held, octets <= Self.usual || octets <= room else { return false }
    held += octets
    // The room may be endless. Memory that is given back returns with the next octets.
    if octets > 0 { room -= octets }
    return true
  }

  /// Counts `octets` less.
  func release(_ octets: Int) {
    held -= octets
  }
}

/// The memory of all decoders of a source.
struct DecoderMemory {
  /// Memory of `br` and `zstd`.
  let windows: WindowMemory
  /// Memory of `gzip` and `deflate`, with contents that are kept to be decoded as a whole.
  let inflaters: WindowMemory

  /// Octets of all decoders.
  var held: Int { windows.held + inflaters.held }
}
