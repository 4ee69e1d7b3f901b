#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Confinement {
  /// What has to stay open for writing so that a file can be written at a path: its folder, in which the file is made,
  /// renamed and removed; for a device, the device itself. Unsafe site: `lstat`, which writes its answer into `status`.
  package static func writtenPath(_ path: String) -> String {
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR { return path }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[...slash])
  }
}
