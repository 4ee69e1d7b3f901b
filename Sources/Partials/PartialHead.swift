import HTTPReassembly

/// What a partial says of its capture, and of how it was made.
public struct PartialHead: Sendable, Equatable {
  /// The version of the program that made it, without its name.
  public var toolVersion = ""
  /// The capture, as the user named it.
  public var capture = ""
  /// Octets of the capture's file.
  public var captureLength = 0
  /// What tells the capture from others: a mark of all of its packets.
  public var mark: UInt64 = 0
  /// What was wrong with the capture, a line each.
  public var faults: [String] = []
  /// The options that change figures, as on the command line; empty for none.
  public var options = ""
  /// The digest of the key logs that it was made with, in hexadecimal digits; empty without any.
  public var keys = ""
  /// The secrets that the capture has in itself, as key logs; at most 96 MiB of them, as many as an analysis keeps.
  public private(set) var secrets: [UInt8] = []
  /// Packets of the capture.
  public var packets = 0
  /// Packets that are in the partial as they were captured.
  public var keptPackets = 0
  /// Packets that the capturing machine says it lost; nil if it does not say.
  public var dropped: Int?
  /// Capture time of the first packet, in nanoseconds since the Unix epoch; nil without packets.
  public var first: Int64?
  /// Capture time of the last packet in the file, the same.
  public var last: Int64?
  /// Nanoseconds of the intervals of time that were asked for; 0 where nobody did.
  public var interval: Int64 = 0

  /// An empty head.
  public init() {}

  private static let secretLimit = 96 << 20

  /// Adds secrets of the capture.
  public mutating func add(secrets more: [UInt8]) {
    guard secrets.count + more.count < Self.secretLimit else { return }
    secrets += more
    secrets.append(UInt8(ascii: "\n"))
  }

  mutating func code<Coder: RowCoder>(_ coder: inout Coder) throws(Coder.Fault) {
    try coder.string(&toolVersion)
    try coder.string(&capture)
    try coder.integer(&captureLength)
    try coder.bits(&mark)
    var faultText = faults.joined(separator: "\n")
    try coder.string(&faultText)
    faults = faultText.split(separator: "\n").map(String.init)
    try coder.string(&options)
    try coder.string(&keys)
    try coder.octets(&secrets)
    try coder.integer(&packets)
    try coder.integer(&keptPackets)
    try coder.optional(&dropped)
    try coder.optional(&first)
    try coder.optional(&last)
    try coder.time(&interval)
  }
}
