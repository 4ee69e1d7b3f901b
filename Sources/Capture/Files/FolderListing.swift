// Unsafe: opendir and related calls; each entry is read in place before the next one is asked for.

import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The content of a folder.
package enum FolderListing {
  /// The names in a folder, except hidden ones, in the order of their octets.
  ///
  /// Throws when the folder cannot be read.
  package static func names(in path: String) throws(CaptureError) -> [String] {
    guard let folder = unsafe opendir(path.systemName) else {
      throw CaptureError(file: path, problem: .cannotOpen(errno: errno))
    }
    defer { _ = unsafe closedir(folder) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(folder) else {
        if errno != 0 { throw CaptureError(file: path, problem: .readFailed(errno: errno)) }
        break
      }
      let name = unsafe name(of: entry)
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The name in an entry, which the listing lends until it is asked for the next one.
  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe FileName.text(of: Array($0.prefix { $0 != 0 })) }
  }
}
