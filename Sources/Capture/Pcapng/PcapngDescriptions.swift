import Packets

extension PcapngBlocks {
  /// Reads a block that describes packets, which the window holds whole.
  ///
  /// Throws when the later packets cannot be read. A name, a process or secrets that break their format are skipped.
  mutating func readDescription(
    _ type: UInt32, _ length: Int, in window: borrowing OctetWindow
  ) throws(CaptureError) {
    switch type {
    case PcapngFormat.BlockType.sectionHeader: try startSection(in: window)
    case PcapngFormat.BlockType.interfaceDescription: try describeInterface(length, in: window)
    case PcapngFormat.BlockType.interfaceStatistics: readStatistics(length, in: window)
    case PcapngFormat.BlockType.nameResolution: readNames(length, in: window)
    case PcapngFormat.BlockType.decryptionSecrets: readSecrets(length, in: window)
    case PcapngFormat.BlockType.custom, PcapngFormat.BlockType.uncopiedCustom: readAndroidApp(length, in: window)
    default: readProcess(length, in: window)
    }
  }

  private mutating func startSection(in window: borrowing OctetWindow) throws(CaptureError) {
    let major = order(window.load(PcapngFormat.SectionHeader.majorVersion, as: UInt16.self))
    let minor = order(window.load(PcapngFormat.SectionHeader.minorVersion, as: UInt16.self))
    guard major == 1 else { throw window.error(.unsupported("pcapng version \(major).\(minor)")) }
    interfaces.removeAll(keepingCapacity: true)
    processes.removeAll(keepingCapacity: true)
  }

  private mutating func describeInterface(_ length: Int, in window: borrowing OctetWindow) throws(CaptureError) {
    guard interfaces.count < CaptureLimits.interfaces else {
      throw window.error(.unsupported("more than \(CaptureLimits.interfaces) interfaces in a section"))
    }
    var (interface, record) = try PcapngInterface.read(in: window, order: order, length: length)
    interface.number = origins.value.number(record, tellingIn: &news)
    interfaces.append(interface)
  }

  private mutating func readStatistics(_ length: Int, in window: borrowing OctetWindow) {
    typealias Field = PcapngFormat.InterfaceStatistics
    let interface = Int(order(window.load(Field.interface, as: UInt32.self)))
    guard interface < interfaces.count else { return }
    news.pass(to: interfaces[interface].resolution.nanoseconds(order.time(window.load(Field.time, as: UInt64.self))))
    var dropped: UInt64?
    var options = PcapngOptions(Field.options..<length - PcapngFormat.Block.trailerLength, order: order)
    while let option = options.next(in: window) {
      guard option.code == Field.interfaceDropsOption || option.code == Field.systemDropsOption,
        option.value.count == 8
      else { continue }
      dropped = (dropped ?? 0).addingSaturated(order(window.load(option.value.lowerBound, as: UInt64.self)))
    }
    if let dropped { countLosses(of: interface) { $0.setLoss(dropped) } }
  }

  private mutating func readNames(_ length: Int, in window: borrowing OctetWindow) {
    // Records have the shape of options: a type, a length and a padded value, and type 0 ends them.
    let body = PcapngFormat.NameResolution.records..<length - PcapngFormat.Block.trailerLength
    var records = PcapngOptions(body, order: order)
    while news.hasRoomForName, let record = records.next(in: window) {
      let start = record.value.lowerBound
      switch record.code {
      case PcapngFormat.NameResolution.ipv4Record where record.value.count > 4:
        let address = IPAddress(v4: ByteOrder.big(window.load(start, as: UInt32.self)))
        readNames(start + 4..<record.value.upperBound, of: address, in: window)
      case PcapngFormat.NameResolution.ipv6Record where record.value.count > 16:
        let address = IPAddress(
          high: ByteOrder.big(window.load(start, as: UInt64.self)),
          low: ByteOrder.big(window.load(start + 8, as: UInt64.self)))
        readNames(start + 16..<record.value.upperBound, of: address, in: window)
      // Names of hardware addresses, and records without a name, are skipped.
      default: break
      }
    }
  }

  /// Reads names that end with zeros; the last one may lack its zero.
  private mutating func readNames(_ range: Range<Int>, of address: IPAddress, in window: borrowing OctetWindow) {
    var start = range.lowerBound
    while start < range.upperBound, news.hasRoomForName {
      let end = (start..<range.upperBound).first { window.load($0, as: UInt8.self) == 0 } ?? range.upperBound
      if end > start, end - start <= CaptureLimits.nameLength {
        news.append(.name(NameRecord(address: address, name: window.copy(start..<end))))
      }
      start = end + 1
    }
  }

  private mutating func readSecrets(_ length: Int, in window: borrowing OctetWindow) {
    typealias Field = PcapngFormat.DecryptionSecrets
    guard length >= Field.minimumLength else { return }
    let kind = order(window.load(Field.kind, as: UInt32.self))
    let count = Int(order(window.load(Field.secretsLength, as: UInt32.self)))
    guard count <= length - Field.minimumLength else { return }
    let octets = window.copy(Field.secrets..<Field.secrets + count)
    news.append(.secrets(SecretsRecord(kind: .init(rawValue: kind), octets: octets)))
  }

  /// Reads a custom block, if PCAPdroid wrote it and it names an app.
  private mutating func readAndroidApp(_ length: Int, in window: borrowing OctetWindow) {
    typealias Field = PcapngFormat.AndroidApp
    guard length >= Field.minimumLength,
      order(window.load(Field.enterprise, as: UInt32.self)) == Field.enterpriseNumber,
      window.load(Field.version, as: UInt8.self) == Field.knownVersion,
      window.load(Field.kind, as: UInt8.self) == Field.kindOfUserMap
    else { return }
    let user = order(window.load(Field.user, as: UInt32.self))
    let package = Field.package + Int(window.load(Field.packageLength, as: UInt8.self))
    let name = package + Int(window.load(Field.nameLength, as: UInt8.self))
    guard name <= length - PcapngFormat.Block.trailerLength else { return }
    let app = AppRecord(
      user: Int32(bitPattern: user), package: window.text(Field.package..<package, limit: 255),
      name: window.text(package..<name, limit: 255))
    news.append(.app(app))
  }

  private mutating func readProcess(_ length: Int, in window: borrowing OctetWindow) {
    typealias Field = PcapngFormat.ProcessEvent
    guard length >= Field.minimumLength else {
      // Packets still count it in their indices.
      processes.append(0)
      return
    }
    let identifier = order(window.load(Field.identifier, as: UInt32.self))
    var process = ProcessRecord(identifier: identifier, name: "", path: "", uuid: [])
    var options = PcapngOptions(Field.options..<length - PcapngFormat.Block.trailerLength, order: order)
    while let option = options.next(in: window) {
      switch (option.code, option.value.count) {
      case (Field.nameOption, _): process.name = window.text(option.value, limit: CaptureLimits.originTextLength)
      case (Field.pathOption, _): process.path = window.text(option.value, limit: CaptureLimits.programPathLength)
      case (Field.uuidOption, 16): process.uuid = window.copy(option.value)
      default: break
      }
    }
    processes.append(origins.value.number(process, tellingIn: &news))
  }
}

extension OctetWindow {
  /// The text in `range`, counted from the cursor, up to its first zero, cut to `limit` octets. Octets that are not UTF-8 are
  /// replaced.
  func text(_ range: Range<Int>, limit: Int) -> String {
    String(decoding: copy(range.prefix(limit)).prefix { $0 != 0 }, as: UTF8.self)
  }
}
