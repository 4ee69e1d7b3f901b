/// Files that people give in the place of captures: what they are, and how to get a capture out of them.
struct OtherFormat {
  /// The kind in words, and the way out.
  private let text: String

  /// Octets of a file that are looked at: the names of a table's columns, and the head of a page.
  static let knownLength = 1024

  /// The kind of a file that begins with `start`, behind its compression if it has one; nil if it is not known. `file` is its name, as in
  /// errors.
  ///
  /// A capture has none: its octets may look like those of another kind behind their start.
  init?(_ start: [UInt8], in compression: Compression? = nil, file: String) {
    guard !Self.isCapture(start), let kind = Self.byMagic(start) ?? Self.byText(start) ?? Self.byName(file, start)
    else { return nil }
    var way = kind.way
    if let compression, way.contains("FILE") {
      way =
        "decompress it first: \(compression.rawValue) -dc FILE > inner; then \(way.replacing("FILE", with: "inner"))"
    }
    text = kind.name + "; " + way.replacing("FILE", with: ShellWord.of(file))
  }

  /// The rest of the sentence that begins with `not a capture file:`.
  var description: String { text }

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

  /// Whether a file's first octets are those of a capture that is read natively, compressed or not.
  private static func isCapture(_ start: [UInt8]) -> Bool {
    guard start.count >= 4, Compression(start) == nil else { return start.count >= 4 }
    let magic = start.prefix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return PcapRecords.Magic(magic) != nil || magic == PcapngFormat.BlockType.sectionHeader
  }

  /// The commands that take two captures in a file apart. The second one begins at `offset` of the decompressed octets.
  static func commandsApart(file: String, _ compression: Compression?, at offset: Int) -> String {
    let file = ShellWord.of(file)
    let (head, tail) = ("head -c \(offset)", "tail -c +\(offset + 1)")
    guard let compression else { return "\(head) \(file) > first.pcap; \(tail) \(file) > second.pcap" }
    let octets = "\(compression.rawValue) -dc \(file)"
    return "\(octets) | \(head) > first.pcap; \(octets) | \(tail) > second.pcap"
  }

  // MARK: Binary formats

  private static func byMagic(_ start: [UInt8]) -> Kind? {
    for (magic, name, way) in magics where start.starts(with: magic) { return (name, way) }
    if start.starts(with: "SQLite format 3\0".utf8) {
      // The mark of the file's program (`application_id`), which reports have.
      let isReport = start.count >= 72 && start[68..<72].elementsEqual("Snif".utf8)
      return isReport ? report : ("it is an SQLite database", verified)
    }
    if start.count >= 262, start[257..<262].elementsEqual("ustar".utf8) {
      return ("it is a tar archive", "unpack it first: tar -xf FILE")
    }
    // A trace's first buffer has a header of 72 octets. Behind it, a record of version 2 describes the trace.
    if start.count >= 76, start[72...73].elementsEqual([2, 0]), 1...2 ~= start[74], start[75] == 0xc0 {
      return eventTrace
    }
    return nil
  }

  private static let verified = "compare an app's log with a capture by: sniffer verify CAPTURE --log FILE"

  private static let eventTrace: Kind = (
    "it is an event trace log of Windows", "convert it first: etl2pcapng FILE capture.pcapng"
  )

  private static func compressed(_ name: String, _ command: String) -> Kind {
    ("it is \(name) data", "decompress it on the way: \(command) FILE | sniffer -")
  }

  private static let texted = "it is a capture written as text, as PowerShell does with a program's output"
  private static let rewritten = "let the program write the file itself, as in: tcpdump -w capture.pcap"

  private static let magics: [(magic: [UInt8], name: String, way: String)] = {
    let compressions: [([UInt8], Kind)] = [
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], compressed("xz", "xz -dc")),
      ([0x5d, 0, 0], compressed("lzma", "xz -dc")),
      (Array("BZh".utf8), compressed("bzip2", "bzip2 -dc")),
      ([0x04, 0x22, 0x4d, 0x18], compressed("lz4", "lz4 -dc")),
      ([0x02, 0x21, 0x4c, 0x18], compressed("lz4", "lz4 -dc")),
      (Array("LZIP".utf8), compressed("lzip", "lzip -dc")),
      ([0x89, 0x4c, 0x5a, 0x4f], compressed("lzop", "lzop -dc")),
      ([0x1f, 0x9d], compressed("compress", "gzip -dc")),
      ([0x50, 0x4b, 3, 4], compressed("zip", "unzip -p")),
      ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], compressed("7z", "7z x -so")),
      (Array("Rar!".utf8), compressed("RAR", "unrar p -inul")),
    ]
    let captures: [([UInt8], String)] = [
      (Array("snoop\0\0\0".utf8), "snoop"), (Array("GMBU".utf8), "Network Monitor"),
      (Array("RTSS".utf8), "Network Monitor"),
      (Array("XCP\0".utf8), "NetXray"), (Array("TRSNIFF data".utf8), "Sniffer (DOS)"),
      (Array("btsnoop\0".utf8), "btsnoop"),
    ]
    return [
      (Array("SNIFPART".utf8), "it is a partial", "merge it: sniffer merge FILE"),
      (Array("PAR1".utf8), "it is a Parquet file", "give the capture that it was made from"),
    ]
      + compressions.map { ($0, $1.name, $1.way) }
      + captures.map { ($0, "it is a capture of \($1)", "convert it first: editcap FILE capture.pcapng") }
      + [
        // Magic numbers of captures, each octet a character of UTF-16, or replaced where it is none of UTF-8.
        ([0xff, 0xfe, 0xd4, 0, 0xc3, 0], texted, rewritten),
        ([0xff, 0xfe, 0x0a, 0, 0x0d, 0, 0x0d, 0], texted, rewritten),
        ([0xef, 0xbf, 0xbd, 0xc3, 0xb2, 0xef, 0xbf, 0xbd], texted, rewritten),
        ([0xc3, 0x94, 0xc3, 0x83, 0xc2, 0xb2, 0xc2, 0xa1], texted, rewritten),
        // The section header of pcapng, 0a 0d 0d 0a, with a carriage return before each line feed.
        (
          [0x0d, 0x0a, 0x0d, 0x0d, 0x0d, 0x0a], "it is a pcapng file with carriage returns put before its line feeds",
          InsertedReturns.way
        ),
      ]
  }()

  // MARK: Text

  private static func byText(_ start: [UInt8]) -> Kind? {
    let octets = singleOctets(start)
    let text = octets.drop { $0 == 0x20 || 0x09...0x0d ~= $0 }
    func begins(_ words: String) -> Bool {
      text.count >= words.utf8.count && zip(text, words.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }
    if isReport(text) { return report }
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
        : ("it is JSON", verified)
    }
    if ["tcpdump: ", "reading from ", "listening on ", "IP ", "IP6 ", "ARP, "].contains(where: begins)
      || isPacketLine(text)
    {
      return ("it is text as tcpdump prints it", "let it write a capture instead: tcpdump -w capture.pcap")
    }
    if isSummaryLine(text) || begins("<?xml"), isOfWireshark(text) {
      return ("it is text as TShark or Wireshark prints it", "give the capture that it was made from")
    }
    if ["1MOyoQ", "TTyyoQ", "obLD1A", "obI8TQ", "Cg0NCg", "H4sI"].contains(where: { text.starts(with: $0.utf8) }) {
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

  /// Text without its byte order mark. Of UTF-16, only the lower octets.
  private static func singleOctets(_ start: [UInt8]) -> ArraySlice<UInt8> {
    if start.starts(with: [0xef, 0xbb, 0xbf]) { return start.dropFirst(3) }
    guard start.starts(with: [0xff, 0xfe]) || start.starts(with: [0xfe, 0xff]) else { return start[...] }
    let lower = start[0] == 0xff ? 0 : 1
    return ArraySlice(stride(from: 2 + lower, to: start.count, by: 2).map { start[$0] })
  }

  /// The start of a line with 0 for each digit, from its first column that is no packet's number.
  private static func shape(_ text: ArraySlice<UInt8>) -> String {
    let line = text.prefix { $0 != 0x0a }
    let afterNumber = line.drop { isDigit($0) }
    let columns =
      afterNumber.first == 0x20 && afterNumber.startIndex > line.startIndex ? afterNumber.drop { $0 == 0x20 } : line
    return String(decoding: columns.prefix(32).map { isDigit($0) ? 0x30 : $0 }, as: UTF8.self)
  }

  /// Whether a line begins with a time of tcpdump: `12:00:00.000000 `, with a date before it, or seconds since 1970.
  private static func isPacketLine(_ text: ArraySlice<UInt8>) -> Bool {
    let shape = shape(text)
    return ["00:00:00.000", "0000-00-00 00:00:00.000", "0000000000.000000"].contains { shape.hasPrefix($0) }
  }

  /// Whether a line begins with a time of TShark, in seconds from the first packet, or is the head of such lines.
  private static func isSummaryLine(_ text: ArraySlice<UInt8>) -> Bool {
    let shape = shape(text)
    return ["0.000000", "-0.000000", "No.  ", "\"No.\",", "Frame 0: "].contains { shape.hasPrefix($0) }
  }

  /// Whether text names columns or elements of Wireshark.
  private static func isOfWireshark(_ text: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: text, as: UTF8.self)
    return ["\u{2192}", "->", "Time", "pdml", "psml", "bytes on wire"].contains(where: text.contains)
  }

  /// A hexdump. One of a capture file leads back to it; others are of packets.
  private static func hexdump(_ text: ArraySlice<UInt8>) -> Kind? {
    let line = text.prefix { $0 != 0x0a }
    let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    guard let offset = words.first else { return nil }
    // Digits alone, as from: xxd -p
    if offset.count >= 32, offset.allSatisfy(isHexadecimal) {
      return isCapture(offset) ? ("it is a hexdump of a capture", "turn it back: xxd -r -p FILE | sniffer -") : nil
    }
    let digits = offset.starts(with: "0x".utf8) ? offset.dropFirst(2) : offset
    let number = digits.last == 0x3a ? digits.dropLast() : digits
    // The first offset is 0, in at least four digits.
    guard number.count >= 4, number.allSatisfy({ $0 == 0x30 }) else { return nil }
    let octets = words.dropFirst().prefix {
      $0.count.isMultiple(of: 2) && $0.count <= 8 && $0.allSatisfy(isHexadecimal)
    }
    guard octets.count >= 2 else { return nil }
    let first = ArraySlice(octets.joined())
    // Lines of `hexdump` and `od` with an asterisk stand for repeated ones, which are lost.
    let way = "turn it back, unless it has lines of *: sed 's/|.*//; s/^[0-9a-f]*//' FILE | xxd -r -p |"
    if isCapture(first) {
      let isOfXXD = digits.last == 0x3a
      return ("it is a hexdump of a capture", isOfXXD ? "turn it back: xxd -r FILE | sniffer -" : way + " sniffer -")
    }
    if isCapture(swappedPairs(first)) { return ("it is a hexdump of a capture", way + " dd conv=swab | sniffer -") }
    return ("it is a hexdump", "make packets of it: text2pcap FILE capture.pcap")
  }

  /// Whether hexadecimal digits are the first octets of a capture file.
  private static func isCapture(_ digits: ArraySlice<UInt8>) -> Bool {
    let first = String(decoding: digits.prefix(8), as: UTF8.self)
    guard let magic = UInt32(first, radix: 16) else { return false }
    return isCapture((0..<4).map { UInt8(truncatingIfNeeded: magic >> (24 - 8 * $0)) })
  }

  /// Hexadecimal digits of pairs of octets in their order, as `hexdump` prints integers of 16 bits.
  private static func swappedPairs(_ digits: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let first = Array(digits.prefix(8))
    guard first.count == 8 else { return [] }
    return ArraySlice(first[2...3] + first[0...1] + first[6...7] + first[4...5])
  }

  private static func isDigit(_ octet: UInt8) -> Bool { 0x30...0x39 ~= octet }

  private static func isHexadecimal(_ octet: UInt8) -> Bool {
    0x30...0x39 ~= octet || 0x61...0x66 ~= octet || 0x41...0x46 ~= octet
  }

  // MARK: Reports of this program

  private static let report: Kind = ("it is a report of sniffer", "compare two by: sniffer diff BASE NEW")

  /// The sentence about such a report.
  static let reportText = report.name + "; " + report.way

  /// Whether text is one: a table as CSV or NDJSON, a summary as JSON, a HAR, or a page.
  private static func isReport(_ text: ArraySlice<UInt8>) -> Bool {
    let line = String(decoding: text.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    if line.hasPrefix("<!doctype html") {
      return String(decoding: text, as: UTF8.self).contains("<meta name=\"generator\" content=\"sniffer\">")
    }
    guard line.hasPrefix("{\"") else { return isOfReport(columns: line) }
    let isDocument = line.hasPrefix("{\"format\":\"sniffer-") || line.contains("\"creator\":{\"name\":\"sniffer\"")
    // The names of an object's members, as if they were those of columns.
    let members = line.dropFirst().split(separator: ",").map { $0.split(separator: "\"").first ?? "" }
    return isDocument || isOfReport(columns: members.joined(separator: ",") + ",")
  }

  /// Whether a line has the names of columns of a report's table.
  private static func isOfReport(columns line: String) -> Bool {
    if line.hasPrefix("host,") {
      return [
        ",requests,responses,", ",direction,contents,", ",direction,field,", ",change,beyond_threshold,",
        "host,host_source,",
      ].contains(where: line.contains)
    }
    return [
      "message,exchange,connection,", "exchange,connection,request,", "connection,client,server,", "class,bytes",
      "name,count,first_time,", "start,end,direction,packets,", "step,label,start,", "row,exchange,message,",
      "log_row,message,exchange,", "message,model,type,", "line,host_pattern,",
    ].contains(where: line.hasPrefix)
  }

  // MARK: Names

  private static func byName(_ file: String, _ start: [UInt8]) -> Kind? {
    let name = file.lowercased()
    if name.hasSuffix(".etl") { return eventTrace }
    guard [".har", ".csv", ".json", ".ndjson", ".jsonl", ".xml", ".txt", ".log"].contains(where: name.hasSuffix),
      !start.isEmpty
    else { return nil }
    return (shown(start), verified)
  }
}
