import Packets
import Shared

/// Writes captured packets to a pcapng file, or to several in turn.
///
/// Only whole blocks are written. If the process is killed, the file ends after a block, and lacks at most the packets since the
/// last `flush`. After an error nothing more is written, and every call throws that error; the file keeps its content.
///
/// Each file is complete in itself. Its statistics blocks count from its own start, so that the losses in all files add up to the
/// capture's. A loss belongs to the file that is being written when it becomes known.
public final class PcapngFileWriter {
  /// An interface whose packets are written.
  public struct Interface: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The link type of its packets, below 65,536.
    public var linkType: LinkType
    /// The largest number of octets that are captured of a packet; 0 is no limit.
    public var snapshotLength: Int
    /// The filter that packets passed; empty without one.
    public var filter: String

    /// Describes an interface.
    public init(name: String, linkType: LinkType, snapshotLength: Int = 0, filter: String = "") {
      self.name = name
      self.linkType = linkType
      self.snapshotLength = snapshotLength
      self.filter = filter
    }

    /// Describes an interface that is being captured on.
    public init(_ capture: LiveCapture) {
      self.init(
        name: capture.interface, linkType: capture.linkType, snapshotLength: capture.snapshotLength,
        filter: capture.filter)
    }
  }

  /// Octets gathered before a system call. They are enough to make the call cheap compared with copying, and few enough to stay
  /// in the cache.
  private static let bufferLength = 256 << 10

  /// The path of the current or last file.
  public private(set) var path: String
  /// Packets written so far to all files, including those in the buffer.
  public private(set) var packetCount = 0

  private let interfaces: [Interface]
  private let application: String
  private let rotation: FileRotation?
  private let folder: CaptureFolder
  private let name: String
  private let names: RotatedNames
  /// Numbers of the existing rotated files; the current one is last.
  private var numbers: [Int] = []
  private var file: BlockFile?
  private var buffer: BlockBuffer
  private var failure: CaptureError?
  /// The latest secrets, for the next file.
  private var rememberedSecrets: [UInt8] = []
  /// Times of the first and the last packet in this file.
  private var times: (first: Int64, last: Int64)?
  /// The latest statistics, by interface.
  private var statistics: [CaptureStatistics]
  /// The part of them in earlier files.
  private var statisticsBefore: [CaptureStatistics]
  /// The part of them in this and earlier files.
  private var statisticsTold: [CaptureStatistics]

  /// Creates the file, for its owner alone, in place of an existing regular one. With `rotation` it creates the first of the
  /// files `NAME_00001.pcapng`, `NAME_00002.pcapng` and so on. Their numbers continue after the highest existing one, so that
  /// only the limit on the number of files removes files of an earlier run.
  ///
  /// `application` is the name of this program, with its version. Throws when the folder or the file cannot be written, and when
  /// a symbolic link has the file's name. It also throws when another run is writing the file.
  public init(
    path: String, interfaces: [Interface], application: String, rotation: FileRotation? = nil
  ) throws(CaptureError) {
    if let interface = interfaces.first(where: { $0.linkType.rawValue > UInt16.max }) {
      throw CaptureError(file: path, problem: .unsupported("link type \(interface.linkType.rawValue) in pcapng"))
    }
    let name = FileName.split(path).name
    let folder = try CaptureFolder(of: path)
    let names = RotatedNames(name)
    self.path = path
    self.interfaces = interfaces
    self.application = application
    self.rotation = rotation
    self.folder = folder
    self.name = name
    self.names = names
    buffer = BlockBuffer(capacity: max(Self.bufferLength, PcapngEncoder.headerLength(interfaces)))
    statistics = interfaces.map { _ in CaptureStatistics() }
    statisticsBefore = statistics
    statisticsTold = statistics
    if rotation != nil {
      numbers = try folder.names().compactMap(names.number).sorted()
      // Another run would continue with the same numbers, and remove this one's files.
      if let last = numbers.last { try folder.requireUnlocked(names.name(last)) }
    }
    try open()
    try flush()
  }

  deinit {
    // It is too late for an error, but not to save the buffer.
    if failure == nil { try? file?.write(buffer) }
  }

  /// Writes a packet that was captured on the interface with that index.
  ///
  /// Throws when a buffer full of packets cannot be written, or a new file cannot be created.
  @inline(__always)
  public func append(_ packet: Packet, octets: RawSpan, interface: Int = 0) throws(CaptureError) {
    precondition(interfaces.indices.contains(interface))
    let length = PcapngEncoder.length(packet, captured: octets.byteCount)
    if rotation != nil, isDue(packet.timestamp, length) { try rotate() }
    if !buffer.hasRoom(for: length) || failure != nil { try makeRoom(for: length) }
    PcapngEncoder.append(packet, octets: octets, interface: interface, to: &buffer)
    packetCount += 1
    times = (times?.first ?? packet.timestamp, packet.timestamp)
  }

  /// Octets of secrets that are remembered for later files: the secrets of some 1,500 connections.
  public static let rememberedSecretsLimit = 1 << 20

  /// Writes secrets, as whole lines of a TLS key log (RFC 9850), before the next packets. With rotation each further file begins
  /// with the latest of them, so that it can be read without the others.
  ///
  /// Throws when a buffer full of packets cannot be written.
  public func append(secrets: RawSpan) throws(CaptureError) {
    try appendBlock(secrets: secrets)
    guard rotation != nil else { return }
    secrets.append(0..<secrets.byteCount, to: &rememberedSecrets)
    guard rememberedSecrets.count > Self.rememberedSecretsLimit else { return }
    // Half of it is removed, so that this is rare.
    let half = rememberedSecrets.count - Self.rememberedSecretsLimit / 2
    let start = rememberedSecrets[half...].firstIndex(of: 0x0a).map { $0 + 1 } ?? rememberedSecrets.count
    rememberedSecrets.removeFirst(start)
  }

  private func appendBlock(secrets: RawSpan) throws(CaptureError) {
    let length = PcapngEncoder.length(secrets: secrets.byteCount)
    if !buffer.hasRoom(for: length) || failure != nil { try makeRoom(for: length) }
    PcapngEncoder.append(secrets: secrets, to: &buffer)
  }

  /// Takes the current statistics of all interfaces, counted from the start of the capture. They are written with the next flush,
  /// file or end.
  public func update(_ statistics: [CaptureStatistics]) {
    precondition(statistics.count == interfaces.count)
    self.statistics = statistics
  }

  /// Writes that no packet had come until `time`, in nanoseconds since the Unix epoch: statistics of that time. So readers of the
  /// file know it.
  ///
  /// Throws when a buffer full of packets cannot be written, or a new file cannot be created.
  public func pass(to time: Int64) throws(CaptureError) {
    if let failure { throw failure }
    if let last = times?.last, isDue(last, interfaces.count * PcapngEncoder.statisticsLength) { try rotate() }
    try appendStatistics(at: time)
  }

  /// Hands everything to the operating system, with the statistics if there are new losses. Flushed packets survive when this
  /// process is killed.
  public func flush() throws(CaptureError) {
    if let failure { throw failure }
    if statistics.map(\.dropped) != statisticsTold.map(\.dropped) { try appendStatistics() }
    try write()
  }

  /// Continues in the next file. Without rotation, continues in a new file with the same path if the old one was moved away, and
  /// otherwise in the same file.
  public func reopen() throws(CaptureError) {
    try flush()
    if rotation == nil, let file, folder.has(file, as: name) { return }
    try rotate()
  }

  /// Writes the statistics and closes the file. Nothing may be written afterwards.
  public func close() throws(CaptureError) {
    if let failure { throw failure }
    guard let file else { return }
    try appendStatistics()
    try write()
    self.file = nil
    do throws(CaptureError) { try file.close() } catch { throw fail(error) }
  }

  // MARK: Files

  /// Whether a packet belongs in another file.
  private func isDue(_ timestamp: Int64, _ length: Int) -> Bool {
    guard let rotation, let times else { return false }
    // Either direction counts, so that a clock that was put back does not keep a file open for as long again.
    if let interval = rotation.interval {
      let (elapsed, overflow) = timestamp.subtractingReportingOverflow(times.first)
      if overflow || elapsed.magnitude >= interval.magnitude { return true }
    }
    guard let limit = rotation.maximumLength else { return false }
    let end = interfaces.count * PcapngEncoder.statisticsLength
    return (file?.length ?? 0) + buffer.count + length + end > limit
  }

  private func rotate() throws(CaptureError) {
    try close()
    try open()
  }

  /// Opens a file, and begins it in the buffer.
  private func open() throws(CaptureError) {
    do throws(CaptureError) {
      var name = name
      if rotation != nil {
        numbers.append((numbers.last ?? 0) + 1)
        name = names.name(numbers.last ?? 1)
      }
      file = try folder.create(name)
      path = folder.path(name)
      while let limit = rotation?.maximumFiles, numbers.count > limit {
        try folder.remove(names.name(numbers.removeFirst()))
      }
    } catch {
      throw fail(error)
    }
    times = nil
    statisticsBefore = statisticsTold
    PcapngEncoder.appendSection(application: application, to: &buffer)
    for interface in interfaces { PcapngEncoder.append(interface, to: &buffer) }
    guard !rememberedSecrets.isEmpty else { return }
    var failure: CaptureError?
    rememberedSecrets.withOctets { octets in
      do throws(CaptureError) { try appendBlock(secrets: octets) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func makeRoom(for length: Int) throws(CaptureError) {
    if let failure { throw failure }
    try write()
    buffer.grow(to: length)
  }

  /// Appends the statistics as of the last packet, or of a later time.
  private func appendStatistics(at time: Int64? = nil) throws(CaptureError) {
    if !buffer.hasRoom(for: interfaces.count * PcapngEncoder.statisticsLength) { try write() }
    for index in interfaces.indices {
      PcapngEncoder.append(
        statistics[index] - statisticsBefore[index], interface: index, from: times?.first ?? time ?? 0,
        to: time ?? times?.last ?? 0, in: &buffer)
    }
    statisticsTold = statistics
  }

  private func write() throws(CaptureError) {
    guard let file else { return }
    do throws(CaptureError) { try file.write(buffer) } catch { throw fail(error) }
    buffer.removeAll()
  }

  private func fail(_ error: CaptureError) -> CaptureError {
    failure = error
    buffer.removeAll()
    return error
  }
}
