#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Confinement {
  /// Where a file that is written at a path makes it necessary to write: its folder, in which it is made, renamed and
  /// removed; of a device, itself. Unsafe site: `lstat`, which is given the place for its answer.
  static func writtenPath(_ path: String) -> String {
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR { return path }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[...slash])
  }
}
