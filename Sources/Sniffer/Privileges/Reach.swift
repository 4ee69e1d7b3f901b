import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files that a run has to reach. Unsafe, because it lends strings to C functions.
struct Reach {
  /// Files and folders that are read; `-` is not one.
  var reads: [String]
  /// Folders that are written to, and created if they do not exist.
  var writes: [String]

  /// Whether the current user may read and write all of them, as far as known in advance. A missing file counts as readable; the
  /// run will find the error.
  var isOpen: Bool {
    reads.allSatisfy { $0 == "-" || Self.allows($0, R_OK) || errno == ENOENT || errno == ENOTDIR }
      && writes.allSatisfy { Self.allows(Self.existing($0), W_OK | X_OK) }
  }

  /// The owners of the folders that are written to, except root.
  var owners: [Account] { writes.compactMap { Account(owning: Self.existing($0)) }.filter { $0.user != 0 } }

  /// The owners of the input, except root.
  var readOwners: [Account] { reads.compactMap { Account(owning: $0) }.filter { $0.user != 0 } }

  private static func allows(_ path: String, _ rights: Int32) -> Bool {
    // A user who may not enter the folders above this one cannot open what needs a whole path, as a database does.
    let path = path.hasPrefix("/") ? path : folder + "/" + path
    // The effective user's rights count, not the rights of the user who started this.
    guard unsafe faccessat(AT_FDCWD, path.systemName, rights, AT_EACCESS) == 0 else { return false }
    // The files in a folder are opened, too.
    var status = stat()
    guard rights == R_OK, unsafe stat(path.systemName, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return true
    }
    return unsafe faccessat(AT_FDCWD, path.systemName, X_OK, AT_EACCESS) == 0
  }

  /// The folder that the program runs in: found once, by the user who started it.
  private static let folder: String = {
    var octets = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&octets, octets.count) != nil else { return "." }
    return FileName.text(of: octets.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
  }()

  /// A folder, or the nearest existing one above it.
  private static func existing(_ path: String) -> String {
    var path = path
    var status = stat()
    while unsafe stat(path.systemName, &status) != 0, errno == ENOENT {
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      path = FileName.split(path).folder
      if path.isEmpty { return "." }
    }
    return path
  }
}
