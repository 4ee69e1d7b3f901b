import Shared

#if canImport(Glibc)
  import Glibc
#endif

/// The arguments of the program, as `FileName` makes text of them. Unsafe site: the C library hands their addresses over before the
/// program begins.
enum ProgramArguments {
  #if canImport(Glibc)
    private typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    nonisolated(unsafe) private static var count: Int32 = 0
    nonisolated(unsafe) private static var texts: Texts?

    // Swift's own list is read from /proc, which a container or a chroot may lack.
    @section(".init_array") @used
    private static let keep: @convention(c) (Int32, Texts?, Texts?) -> Void = { count, texts, _ in
      unsafe ProgramArguments.count = count
      unsafe ProgramArguments.texts = texts
    }
  #endif

  /// All of them, the name of the program first.
  static var all: [String] {
    #if canImport(Glibc)
      guard let texts = unsafe texts else { return CommandLine.arguments }
      return unsafe (0..<Int(count)).compactMap { number in
        guard let text = unsafe texts[number] else { return nil }
        return unsafe FileName.text(of: Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      }
    #else
      return CommandLine.arguments
    #endif
  }
}
