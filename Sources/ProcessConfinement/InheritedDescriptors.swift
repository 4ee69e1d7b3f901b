#if os(Linux)
  import CConfinement
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Descriptors that a process has from its parent. A confined process may write to all that are open, whatever they lead to.
public enum InheritedDescriptors {
  /// Closes all but standard input, output and error, and those that arguments name: a shell hands over `<(command)` as `/dev/fd/63`.
  ///
  /// It has to be called before the program opens anything.
  ///
  /// - Parameter arguments: The arguments of the program.
  public static func close(butThoseIn arguments: [String]) {
    var first: UInt32 = 3
    for kept in Set(arguments.flatMap(named)).sorted() where kept >= first {
      if kept > first { close(first...kept - 1) }
      _ = fcntl(Int32(kept), F_SETFD, FD_CLOEXEC)
      first = kept + 1
    }
    close(first...UInt32(Int32.max))
  }

  /// The descriptors that an argument names: `/dev/fd/3`, or `--keys=/proc/self/fd/3`.
  static func named(in argument: String) -> [UInt32] {
    ["/dev/fd/", "/proc/self/fd/"].compactMap { prefix in
      guard let range = argument.range(of: prefix), let number = UInt32(argument[range.upperBound...]),
        number < UInt32(Int32.max)
      else { return nil }
      return number
    }
  }

  private static func close(_ range: ClosedRange<UInt32>) {
    #if os(Linux)
      if close_descriptors(range.lowerBound, range.upperBound) == 0 { return }
    #endif
    // Where the kernel cannot do it at once: as many as a process may usually have.
    let last = min(range.upperBound, UInt32(clamping: sysconf(CInt(_SC_OPEN_MAX))), 1 << 16)
    guard last >= range.lowerBound else { return }
    for descriptor in range.lowerBound...last {
      #if canImport(Glibc)
        _ = Glibc.close(Int32(descriptor))
      #elseif canImport(Musl)
        _ = Musl.close(Int32(descriptor))
      #else
        _ = Darwin.close(Int32(descriptor))
      #endif
    }
  }
}

extension String {
  /// Where a text begins in this one, and where it ends.
  fileprivate func range(of text: String) -> Range<Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
  }
}
