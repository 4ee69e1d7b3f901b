/// Files that people give in the place of captures: what they are, and how to get a capture out of them.
struct OtherFormat {
  /// The kind in words, and the way out.
  private let text: String

  /// Octets of a file that are looked at: a tar archive is known by octets at 257.
  static let knownLength = 512

  /// The kind of a file that begins with `start`; nil if it is not known. `file` is its name, as in errors.
  init?(_ start: [UInt8], file: String) {
    guard let kind = Self.byMagic(start) ?? Self.byText(start) ?? Self.byName(file, start) else { return nil }
    text = kind.name + "; " + kind.way.replacing("FILE", with: Self.argument(file))
  }

  /// The rest of the sentence that begins with `not a capture file:`.
  var description: String { text }

  /// A file's name as a word of a shell's command.
  static func argument(_ file: String) -> String {
    if file == CaptureError.standardInput { return "FILE" }
    let isPlain = file.utf8.allSatisfy {
      $0 >= 0x80 || $0 >= 0x2b && $0 <= 0x3a || lowercase($0) >= 0x61 && lowercase($0) <= 0x7a || $0 == 0x5f
    }
    return isPlain ? file : "'" + file.replacing("'", with: "'\\''") + "'"
  }

  private typealias Kind = (name: String, way: String)

  /// Octets of an unknown file that its error shows: enough to recognize it.
  static let shownLength = 16

  /// The first octets of a file, in words.
  static func shown(_ start: [UInt8]) -> String {
    let start = start.prefix(shownLength)
    let octets = start.map { String($0 >> 4, radix: 16) + String($0 & 0xf, radix: 16) }.joined(separator: " ")
    let text = String(decoding: start.map { (0x20..<0x7f).contains($0) ? $0 : 0x2e }, as: UTF8.self)
    return "\(start.count < 4 ? "it is only" : "it begins with") \(octets) (\(text))"
  }

  /// Whether the header of a capture file has these octets: 8 from its start, and 4 behind them, both loaded as little-endian.
  static func beginsCapture(_ first: UInt64, _ second: UInt32) -> Bool {
    let magic = UInt32(truncatingIfNeeded: first)
    let version = UInt32(truncatingIfNeeded: first >> 32)
    switch magic {
    case 0xa1b2_c3d4, 0xa1b2_3c4d: return version == 0x0004_0002
    case 0xd4c3_b2a1, 0x4d3c_b2a1: return version == 0x0200_0400
    // A section header of pcapng, in either byte order.
    case 0x0a0d_0d0a: return second == 0x1a2b_3c4d || second == 0x4d3c_2b1a
    default: return false
    }
  }

  // MARK: Binary formats

  private static func byMagic(_ start: [UInt8]) -> Kind? {
    for (magic, name, way) in magics where start.starts(with: magic) { return (name, way) }
    if start.count >= 262, start[257..<262].elementsEqual("ustar".utf8) {
      return ("it is a tar archive", "unpack it first: tar -xf FILE")
    }
    // A trace's first buffer has a header of 72 octets. Behind it, a record of version 2 describes the trace.
    if start.count >= 76, start[72...73].elementsEqual([2, 0]), 1...2 ~= start[74], start[75] == 0xc0 {
      return eventTrace
    }
    return nil
  }

  private static let eventTrace: Kind = (
    "it is an event trace log of Windows", "convert it first: etl2pcapng FILE capture.pcapng"
  )

  private static func compressed(_ name: String, _ command: String) -> Kind {
    ("it is \(name) data", "decompress it on the way: \(command) FILE | sniffer -")
  }

  private static let magics: [(magic: [UInt8], name: String, way: String)] = {
    let compressions: [([UInt8], Kind)] = [
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], compressed("xz", "xz -dc")),
      (Array("BZh".utf8), compressed("bzip2", "bzip2 -dc")),
      ([0x04, 0x22, 0x4d, 0x18], compressed("lz4", "lz4 -dc")),
      ([0x02, 0x21, 0x4c, 0x18], compressed("lz4", "lz4 -dc")),
      (Array("LZIP".utf8), compressed("lzip", "lzip -dc")),
      ([0x1f, 0x9d], compressed("compress", "gzip -dc")),
      ([0x50, 0x4b, 3, 4], compressed("zip", "unzip -p")),
      ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], compressed("7z", "7z x -so")),
    ]
    let captures: [([UInt8], String)] = [
      (Array("snoop\0\0\0".utf8), "snoop"), (Array("GMBU".utf8), "Network Monitor"),
      (Array("RTSS".utf8), "Network Monitor"),
      (Array("XCP\0".utf8), "NetXray"), (Array("TRSNIFF data".utf8), "Sniffer (DOS)"),
      (Array("btsnoop\0".utf8), "btsnoop"),
    ]
    return compressions.map { ($0, $1.name, $1.way) }
      + captures.map { ($0, "it is a capture of \($1)", "convert it first: editcap FILE capture.pcapng") }
      + [
        // The section header of pcapng, 0a 0d 0d 0a, with a carriage return before each line feed.
        (
          [0x0d, 0x0a, 0x0d, 0x0d, 0x0d, 0x0a], "it is a pcapng file with carriage returns put before its line feeds",
          InsertedReturns.way
        )
      ]
  }()

  // MARK: Text

  private static func byText(_ start: [UInt8]) -> Kind? {
    // A byte order mark may come first.
    let octets = start.starts(with: [0xef, 0xbb, 0xbf]) ? start.dropFirst(3) : start[...]
    let text = octets.drop { $0 == 0x20 || 0x09...0x0d ~= $0 }
    func begins(_ words: String) -> Bool {
      text.count >= words.utf8.count && zip(text, words.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }
    if begins("<!doctype html") || begins("<html") {
      return ("it is a web page", "download the file itself, not the page about it")
    }
    if begins("version https://git-lfs.github.com/") {
      return ("it is a pointer of Git LFS", "fetch the file itself: git lfs pull")
    }
    if begins("# SSL/TLS secrets log file") || keyLabels.contains(where: begins) {
      return ("it is a key log", "it goes with a capture: sniffer CAPTURE --keys FILE")
    }
    if begins("{") || begins("[") {
      return String(decoding: text, as: UTF8.self).contains("\"_index\"")
        ? ("it is TShark's JSON", "give the capture that it was made from")
        : ("it is JSON", "an app's log is held against a capture by: sniffer verify CAPTURE --log FILE")
    }
    if begins("tcpdump: ") || begins("reading from ") || begins("listening on ") || isPacketLine(text) {
      return (
        "it is text as tcpdump prints it", "let it write a capture instead: tcpdump -w capture.pcap"
      )
    }
    if ["1MOyoQ", "TTyyoQ", "obLD1A", "obI8TQ", "Cg0NCg"].contains(where: { text.starts(with: $0.utf8) }) {
      return ("it is a capture in base64", "decode it on the way: base64 -d FILE | sniffer -")
    }
    return hexdump(text)
  }

  private static let keyLabels = [
    "CLIENT_RANDOM ", "CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "SERVER_HANDSHAKE_TRAFFIC_SECRET ",
    "CLIENT_TRAFFIC_SECRET_0 ", "SERVER_TRAFFIC_SECRET_0 ", "EXPORTER_SECRET ", "CLIENT_EARLY_TRAFFIC_SECRET ",
    "RSA Session-ID:",
  ]

  private static func lowercase(_ octet: UInt8) -> UInt8 { 0x41...0x5a ~= octet ? octet | 0x20 : octet }

  /// Whether a line begins with a time of tcpdump: `12:00:00.000000 `, with a date before it, or seconds since 1970.
  private static func isPacketLine(_ text: ArraySlice<UInt8>) -> Bool {
    // Digits become 0.
    let shape = String(decoding: text.prefix(32).map { 0x30...0x39 ~= $0 ? 0x30 : $0 }, as: UTF8.self)
    return ["00:00:00.000", "0000-00-00 00:00:00.000", "0000000000.000000 "].contains { shape.hasPrefix($0) }
  }

  /// A hexdump: an offset, and octets in groups. That of a capture file leads back to it; others are of packets.
  private static func hexdump(_ text: ArraySlice<UInt8>) -> Kind? {
    let line = text.prefix { $0 != 0x0a }
    let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    guard words.count >= 3, let offset = words.first else { return nil }
    let digits = offset.starts(with: "0x".utf8) ? offset.dropFirst(2) : offset
    let number = digits.last == 0x3a ? digits.dropLast() : digits
    // The first offset is 0, in at least four digits.
    guard number.count >= 4, number.allSatisfy({ $0 == 0x30 }) else { return nil }
    let octets = words.dropFirst().prefix {
      $0.count.isMultiple(of: 2) && $0.count <= 8 && $0.allSatisfy(isHexadecimal)
    }
    guard octets.count >= 2 else { return nil }
    let first = String(decoding: octets.joined().prefix(8), as: UTF8.self).lowercased()
    if ["d4c3b2a1", "a1b2c3d4", "4d3cb2a1", "a1b23c4d", "0a0d0d0a", "1f8b0800"].contains(where: first.hasPrefix) {
      return ("it is a hexdump of a capture", "turn it back: xxd -r FILE | sniffer -")
    }
    return ("it is a hexdump", "make packets of it: text2pcap FILE capture.pcap")
  }

  private static func isHexadecimal(_ octet: UInt8) -> Bool {
    0x30...0x39 ~= octet || 0x61...0x66 ~= octet || 0x41...0x46 ~= octet
  }

  // MARK: Names

  private static func byName(_ file: String, _ start: [UInt8]) -> Kind? {
    let name = file.lowercased()
    if name.hasSuffix(".etl") { return eventTrace }
    guard [".har", ".csv", ".json", ".ndjson", ".jsonl", ".xml", ".txt", ".log"].contains(where: name.hasSuffix),
      !start.isEmpty
    else { return nil }
    return (
      shown(start), "an app's log is held against a capture by: sniffer verify CAPTURE --log FILE"
    )
  }
}
