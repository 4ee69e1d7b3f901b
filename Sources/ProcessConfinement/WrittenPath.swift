import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Confinement {
  /// The path that must stay writable for writing a file at `path`. For a device, it is the device itself. Otherwise it is the folder,
  /// where the file is created, renamed and removed. Unsafe site: `lstat`, which writes its result into `status`.
  package static func writtenPath(_ path: String) -> String {
    var status = stat()
    if unsafe lstat(path.systemName, &status) == 0, status.st_mode & S_IFMT == S_IFCHR { return path }
    let folder = FileName.split(path).folder
    return folder.isEmpty ? "." : folder
  }
}
