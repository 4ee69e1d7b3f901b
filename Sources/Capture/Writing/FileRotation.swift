/// The limits at which a written capture continues in another file, and the number of kept files.
public struct FileRotation: Equatable, Sendable {
  /// The largest number of octets of a file, unless its first packet alone is larger; nil is no limit.
  public var maximumLength: Int?
  /// The longest packet time in a file, in nanoseconds; nil is no limit.
  public var interval: Int64?
  /// The largest number of files to keep, at least 1, with those of earlier runs under the same name; nil is no limit.
  public var maximumFiles: Int?

  /// Rotates whenever one of the given limits is reached.
  public init(maximumLength: Int? = nil, interval: Int64? = nil, maximumFiles: Int? = nil) {
    self.maximumLength = maximumLength
    self.interval = interval
    self.maximumFiles = maximumFiles.map { max($0, 1) }
  }
}

/// The names of rotated files: for `live.pcapng` they are `live_00001.pcapng`, `live_00002.pcapng` and so on.
struct RotatedNames {
  private let stem: String
  private let suffix: String

  /// Takes the user's name; one without an extension gets `.pcapng`.
  init(_ name: String) {
    if let dot = name.lastIndex(of: "."), dot != name.startIndex {
      stem = name[..<dot] + "_"
      suffix = String(name[dot...])
    } else {
      stem = name + "_"
      suffix = ".pcapng"
    }
  }

  /// The name of a file by its number, from 1.
  func name(_ number: Int) -> String {
    let digits = String(number)
    return stem + String(repeating: "0", count: max(5 - digits.count, 0)) + digits + suffix
  }

  /// The number in a file's name; nil for other names.
  func number(_ name: String) -> Int? {
    guard name.utf8.count >= stem.utf8.count + 5 + suffix.utf8.count, name.hasPrefix(stem), name.hasSuffix(suffix)
    else { return nil }
    let digits = name.dropFirst(stem.count).dropLast(suffix.count)
    // The name is written again for comparison, so that no sign and no other spelling of a number passes.
    guard let number = Int(digits), number > 0, self.name(number) == name else { return nil }
    return number
  }
}
