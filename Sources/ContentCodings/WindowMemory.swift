/// The memory held by decoders, in octets, with its limit.
///
/// A few octets can ask for 40 KiB (`gzip`, `deflate`), 16 MiB (`br`) or 128 MiB (`zstd`), and every open connection can do so
/// at the same time, so a limit for each message would not bound memory.
///
/// What is larger than usual comes out of what nobody else needs: one `zstd` window of 128 MiB is half of what a whole run may take.
final class WindowMemory {
  /// What a decoder may take at once wherever there is memory for decoders: the largest window of `br` (RFC 7932 §9.1), twice what
  /// `zstd` may ask for in HTTP (RFC 9659).
  static let usual = 17 << 20

  private let limit: Int
  private(set) var held = 0
  /// Octets that may be taken for what is larger than usual.
  var room = Int.max

  init(limit: Int) {
    self.limit = limit
  }

  /// Counts `octets` more (less, if negative); false, and nothing is counted, if that is beyond the limit.
  func reserve(_ octets: Int) -> Bool {
    guard octets <= limit - held, octets <= Self.usual || octets <= room else { return false }
    held += octets
    // It may be endless, and what is given back is counted with the next octets.
    if octets > 0 { room -= octets }
    return true
  }

  /// Counts `octets` less.
  func release(_ octets: Int) {
    held -= octets
  }
}

/// What all decoders of a source hold.
struct DecoderMemory {
  /// Of `br` and `zstd`.
  let windows: WindowMemory
  /// Of `gzip` and `deflate`, with contents that are kept to be decoded as a whole.
  let inflaters: WindowMemory

  /// Octets in all.
  var held: Int { windows.held + inflaters.held }
}
