/// The source that names the process of a connection.
public enum ProcessSource: UInt8, Sendable, CaseIterable {
  /// Apple's packet tap, version 1 or 2.
  case pktap
  /// Process blocks of a pcapng file that macOS wrote.
  case applePcapng
  /// PCAPdroid's trailer, or its blocks and comments.
  case pcapdroid
  /// Comments of ptcpdump.
  case ptcpdump
  /// Comments of rustnet.
  case rustnet
  /// Comments of etl2pcapng.
  case etl2pcapng
  /// The running system, asked when the connection opened.
  case live
  /// Comments of pymobiledevice3, which captures on iOS devices.
  case pymobiledevice3

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .pktap: "pktap"
    case .applePcapng: "apple_pcapng"
    case .pcapdroid: "pcapdroid"
    case .ptcpdump: "ptcpdump"
    case .rustnet: "rustnet"
    case .etl2pcapng: "etl2pcapng"
    case .live: "live"
    case .pymobiledevice3: "pymobiledevice3"
    }
  }
}

/// A process as a capture or the running system names it. Names are octets, hostile as all input.
public struct ProcessIdentity: Sendable, Equatable {
  /// The source that named the process.
  public var source: ProcessSource
  /// The process identifier on the capturing machine; nil if unknown.
  public var identifier: UInt32?
  /// The name of the process, up to 255 octets; empty if unknown.
  public var name: [UInt8]
  /// The app, container or pod that it acts for or is a part of, up to 255 octets; empty if unknown.
  public var app: [UInt8]

  /// Octets of a name that are kept.
  static let nameLimit = 255

  /// Creates a process. Longer names are cut.
  public init(source: ProcessSource, identifier: UInt32?, name: [UInt8], app: [UInt8] = []) {
    self.source = source
    self.identifier = identifier
    self.name = Array(name.prefix(Self.nameLimit))
    self.app = Array(app.prefix(Self.nameLimit))
  }
}

/// A process as one text of a pool. A row then holds only its handle, and equal processes are one text.
///
/// Format: source (1), whether there is an identifier (1), the identifier (4), the length of the name (1), the name, the app.
package struct ProcessText {
  private static let identifier = 2
  private static let nameLength = 6
  private static let nameStart = 7

  /// The text of a process.
  static func octets(_ process: ProcessIdentity) -> [UInt8] {
    var text: [UInt8] = [process.source.rawValue, process.identifier == nil ? 0 : 1]
    let identifier = process.identifier ?? 0
    for shift in stride(from: UInt32(24), through: 0, by: -8) {
      text.append(UInt8(truncatingIfNeeded: identifier >> shift))
    }
    text.append(UInt8(process.name.count))
    return text + process.name + process.app
  }

  /// The source that named the process.
  package let source: ProcessSource
  /// The process identifier; nil if unknown.
  package let pid: UInt32?
  /// Where its name is in the text.
  package let name: Range<Int>
  /// Where its app is in the text.
  package let app: Range<Int>

  /// Reads a text of `octets`; nil if it is not such a text.
  package init?(_ text: RawSpan) {
    guard text.byteCount >= Self.nameStart, let source = ProcessSource(rawValue: text.octet(0)) else { return nil }
    self.source = source
    pid = text.octet(1) == 0 ? nil : text.bigEndian32(Self.identifier)
    let end = Self.nameStart + Int(text.octet(Self.nameLength))
    guard end <= text.byteCount else { return nil }
    name = Self.nameStart..<end
    app = end..<text.byteCount
  }
}

extension TextPool {
  /// The process of a handle; nil if the handle is none.
  public func process(_ id: TextID) -> ProcessIdentity? {
    let text = octets(id)
    guard let read = text.withOctets({ ProcessText($0) }) else { return nil }
    return ProcessIdentity(
      source: read.source, identifier: read.pid, name: Array(text[read.name]), app: Array(text[read.app]))
  }

  /// The name of a process; empty if unknown.
  package func processName(_ id: TextID) -> [UInt8] {
    guard id != .none else { return [] }
    let name = withOctets(id) { text in ProcessText(text)?.name ?? 0..<0 }
    return Array(octets(id)[name])
  }

  /// The handle of a process, with one reference more.
  mutating func intern(_ process: ProcessIdentity) -> TextID { intern(ProcessText.octets(process)) }

  /// The handle of a process's name, with one reference more; none if it has no name.
  mutating func internName(ofProcess id: TextID) -> TextID {
    id == .none ? .none : intern(processName(id))
  }
}
