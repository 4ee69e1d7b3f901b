/// The memory of the Zstandard decoders of captures that are read at once, with its limit.
///
/// A frame asks for a window of up to 128 MiB by a few octets, and every capture that is open at once can do so.
final class ZstdMemory {
  /// Octets of all decoders together: one with the largest window, and some smaller ones.
  static let limit = 132 << 20
  /// Binary logarithm of the largest window, in octets. It is the largest that `zstd` itself reads without an option.
  static let windowLogLimit = 27
  /// The smallest binary logarithm that libzstd accepts as a limit.
  private static let leastWindowLog = 10
  /// Octets that a decoder takes beside its window, at most: its own, a coded block, and room for output.
  private static let besideWindow = 1 << 20

  private var held = 0

  /// Counts a decoder's octets anew.
  func count(_ octets: Int, before: Int) { held += octets - before }

  /// Binary logarithm of the largest window that a decoder may have now, in octets. It holds `own` octets, which it then uses again.
  func windowLog(of own: Int) -> Int {
    let room = max(Self.limit - (held - own) - Self.besideWindow, 1)
    return min(max(Int.bitWidth - 1 - room.leadingZeroBitCount, Self.leastWindowLog), Self.windowLogLimit)
  }

  /// The reason why a window above `1 << windowLog` octets is refused, with the way out.
  static func refusal(of file: String, windowLog: Int) -> String {
    let file = ShellWord.of(file)
    return windowLog < windowLogLimit
      ? """
      zstd windows that take more than \(limit >> 20) MiB together, of captures of the same time; decompress some first: \
      zstd -d --long=31 \(file)
      """
      : """
      a zstd window of more than \((1 << windowLogLimit) >> 20) MiB; decompress it on the way: \
      zstd -dc --long=31 \(file) | sniffer -
      """
  }
}
