import HTTPReassembly

/// Facts about a partial's capture, and about how the partial was made.
public struct PartialHead: Sendable, Equatable {
  /// The version of the program that made it, without its name.
  public var toolVersion = ""
  /// The name of the capture, as the user gave it.
  public var capture = ""
  /// Octets of the capture's file.
  public var captureLength = 0
  /// Identifies the capture: a mark of all its packets.
  public var mark: UInt64 = 0
  /// Faults of the capture, one line each.
  public var faults: [String] = []
  /// The options that change figures, as on the command line; empty without any.
  public var options = ""
  /// The digest of the key logs used, in hexadecimal digits; empty without any.
  public var keys = ""
  /// Secrets inside the capture, as key logs; at most 96 MiB, as many as an analysis keeps.
  public private(set) var secrets: [UInt8] = []
  /// The number of the capture's packets.
  public var packets = 0
  /// The number of packets that the partial has as they were captured.
  public var keptPackets = 0
  /// Packets that the capturing machine reports as lost; nil if it reports none.
  public var dropped: Int?
  /// Capture time of the first packet, in nanoseconds since the Unix epoch; nil without packets.
  public var first: Int64?
  /// Capture time of the last packet in the file, in nanoseconds since the Unix epoch; nil without packets.
  public var last: Int64?
  /// The chosen length of time intervals in nanoseconds; 0 if none was chosen.
  public var interval: Int64 = 0

  /// Creates an empty head.
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
