#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What files a run has to get at. Unsafe as calls of C functions that are lent strings are.
struct Reach {
  /// Files and folders that are read; `-` is none.
  var reads: [String]
  /// Folders that are written to, and made if they are not there.
  var writes: [String]

  /// Whether who this process is now may read and write all of it, as far as that shows beforehand. What is not there may be
  /// read by everybody, who will find that out.
  var isOpen: Bool {
    reads.allSatisfy { $0 == "-" || Self.allows($0, R_OK) || errno == ENOENT || errno == ENOTDIR }
      && writes.allSatisfy { Self.allows(Self.existing($0), W_OK | X_OK) }
  }

  /// Who owns the folders that are written to; root is nobody else.
  var owners: [Account] { writes.compactMap { Account(owning: Self.existing($0)) }.filter { $0.user != 0 } }

  /// Who owns what is read.
  var readOwners: [Account] { reads.compactMap { Account(owning: $0) }.filter { $0.user != 0 } }

  private static func allows(_ path: String, _ rights: Int32) -> Bool {
    // The effective user's rights; those of whoever started this do not matter.
    guard unsafe faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0 else { return false }
    // What is in a folder that is read is opened, too.
    var status = stat()
    guard rights == R_OK, unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return true }
    return unsafe faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0
  }

  /// A folder, or the nearest one above it that is there.
  private static func existing(_ path: String) -> String {
    var path = path
    var status = stat()
    while unsafe stat(path, &status) != 0, errno == ENOENT {
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      guard let slash = path.lastIndex(of: "/") else { return "." }
      if slash == path.startIndex { return "/" }
      path = String(path[..<slash])
    }
    return path
  }
}
