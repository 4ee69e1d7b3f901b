/// When a capture that is being written goes on in another file, and how many are kept.
public struct FileRotation: Equatable, Sendable {
  /// Octets of a file at most, unless its first packet alone is larger; nil is no limit.
  public var maximumLength: Int?
  /// Nanoseconds of packet time in a file at most; nil is no limit.
  public var interval: Int64?
  /// Files to keep at most, at least 1, counting those of earlier runs under the same name; nil is no limit.
  public var maximumFiles: Int?

  /// Rotates whenever one of the given limits is reached.
  public init(maximumLength: Int? = nil, interval: Int64? = nil, maximumFiles: Int? = nil) {
    self.maximumLength = maximumLength
    self.interval = interval
    self.maximumFiles = maximumFiles.map { max($0, 1) }
  }
}
