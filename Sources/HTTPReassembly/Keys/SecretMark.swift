/// The mark of a secret: its label, its source, and whether it has opened a record.
struct SecretMark {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ label: SecretLabel, source: Int) { rawValue = label.rawValue | UInt8(source) << 4 }

  /// The bit of a secret that has opened a record.
  static let used: UInt8 = 0x08
  /// The number of sources that are told apart.
  static let sources = 16
  /// The source of secrets that follow from others.
  static let derived = 0
  /// The source of secrets in captures.
  static let captures = 1

  /// The source of a key log's secrets, by its number from 0. The last source stands for all further logs.
  static func source(ofLog number: Int) -> Int { min(2 + number, sources - 1) }

  var label: UInt8 { rawValue & 0x07 }
  var source: Int { Int(rawValue >> 4) }
  var isUsed: Bool { rawValue & Self.used != 0 }
}

/// The place of a secret in a key log's memory. It stays valid.
struct SecretPlace {
  fileprivate(set) var offset: Int

  init(offset: Int) { self.offset = offset }
}

/// The secrets of a run, and the connections that they opened.
public struct SecretTotals: Sendable, Equatable {
  /// Secrets in captures.
  public var captures = SecretCounts()
  /// Secrets of each key log, by its number. The last element stands for all further logs, too.
  public var logs: [SecretCounts] = []
  /// The number of TLS connections with application data.
  public var openings = TLSOpenings()
  /// Whether a capture had its first secrets behind packets that were read without them, and a connection was not opened.
  public var cameLate = false

  /// No secrets.
  public init() {}

  init(captures: SecretCounts, logs: [SecretCounts], openings: TLSOpenings) {
    self.captures = captures
    self.logs = logs
    self.openings = openings
  }
}

/// TLS connections with application data, by whether it was opened.
public struct TLSOpenings: Sendable, Equatable {
  /// All of them.
  public var connections = 0
  /// Those that were opened.
  public var opened = 0
  /// Those that were opened in part.
  public var openedPartly = 0

  /// No connections.
  public init() {}
}

/// The secrets of one source: a key log, or the captures.
public struct SecretCounts: Sendable, Equatable {
  /// Octets that were read.
  public var octets = 0
  /// Secrets that no earlier line or source had.
  public var secrets = 0
  /// Lines with a secret that another source had.
  public var repeated = 0
  /// Secrets that opened at least one record.
  public var used = 0

  /// No secrets.
  public init() {}
}
