import TestSupport
import Testing

@testable import HTTPReassembly

/// Key logs: what their lines give, and what hostile ones cost.
@Suite struct KeyLogTests {
  private func hex(_ value: UInt8, _ count: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: digits.count == 1 ? "0" + digits : digits, count: count)
  }

  private func log(_ text: String, limit: Int = 1 << 24) -> KeyLog {
    var log = KeyLog(limit: limit)
    Array(text.utf8).withOctets { log.read($0, source: SecretMark.captures) }
    log.finishLine()
    return log
  }

  /// A secret by a name of so many equal octets.
  private func secret(
    _ log: KeyLog, _ label: SecretLabel, _ value: UInt8, _ kind: SecretName.Kind = .random, _ count: Int = 32
  ) -> [UInt8]? {
    secret(log, label, Array(repeating: value, count: count), kind)
  }

  private func secret(
    _ log: KeyLog, _ label: SecretLabel, _ name: [UInt8], _ kind: SecretName.Kind = .random
  ) -> [UInt8]? {
    guard let name = name.withOctets({ SecretName(kind, $0) }) else { return nil }
    return log.withSecret(label, of: name) { octets in (0..<octets.byteCount).map { octets.octet($0) } }
  }

  @Test func everyLabelThatOpensRecords() {
    let labels: [(String, SecretLabel)] = [
      ("CLIENT_RANDOM", .master), ("CLIENT_EARLY_TRAFFIC_SECRET", .clientEarlyTraffic),
      ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", .clientHandshakeTraffic),
      ("SERVER_HANDSHAKE_TRAFFIC_SECRET", .serverHandshakeTraffic), ("CLIENT_TRAFFIC_SECRET_0", .clientTraffic),
      ("SERVER_TRAFFIC_SECRET_0", .serverTraffic),
    ]
    var text = "# a comment\r\n\nEXPORTER_SECRET \(hex(7, 32)) \(hex(8, 32))\nECH_CONFIG 1 2\n"
    for (index, label) in labels.enumerated() {
      text += "\(label.0) \(hex(7, 32)) \(hex(UInt8(index + 1), 48))\(index % 2 == 0 ? "\r\n" : "\n")"
    }
    let log = log(text)
    #expect(log.count == 6)
    for (index, label) in labels.enumerated() {
      #expect(secret(log, label.1, 7) == Array(repeating: UInt8(index + 1), count: 48))
      #expect(secret(log, label.1, 8) == nil)
    }
  }

  @Test func olderLines() {
    let log = log(
      "RSA \(hex(1, 8)) \(hex(2, 48))\nRSA Session-ID:\(hex(3, 32)) Master-Key:\(hex(4, 48))\n"
        + "RSA Session-ID:\(hex(5, 4)) Master-Key:\(hex(6, 48))")
    #expect(secret(log, .premaster, 1, .encryptedPremaster, 8) == Array(repeating: 2, count: 48))
    #expect(secret(log, .master, 3, .session) == Array(repeating: 4, count: 48))
    #expect(secret(log, .master, 5, .session, 4) == Array(repeating: 6, count: 48))
    #expect(secret(log, .master, 5, .session, 5) == nil)
  }

  @Test(arguments: [
    "CLIENT_RANDOM", "CLIENT_RANDOM ", "CLIENT_RANDOM  ", "CLIENT_RANDOM 00 00", "CLIENT_RANDOM zz 00",
    "RSA Session-ID: Master-Key:00", "RSA 0102030405060708 0", " ", "\u{0}\u{1}\u{2}",
  ])
  func linesThatGiveNothing(_ line: String) {
    #expect(log(line).isEmpty)
    #expect(log("CLIENT_RANDOM \(hex(1, 32)) \(hex(1, 65))").isEmpty)
    #expect(log("CLIENT_RANDOM \(hex(1, 32)) \(hex(1, 47))g0").isEmpty)
    #expect(log("CLIENT_RANDOM \(hex(1, 32)) ").isEmpty)
  }

  /// All secrets of a name and label are candidates, the newest first, each once; the one that opens a record is first from then on. More
  /// than so many take no room.
  @Test func candidatesOfOneNameAndLabel() throws {
    let lines = (1...20).map { "CLIENT_RANDOM \(hex(1, 32)) \(hex(UInt8($0), 48))\n" }
    var log = log(lines.joined() + lines.joined())
    #expect(log.count == KeyLog.candidateLimit)
    #expect(log.takeRefused() == 2 * (20 - KeyLog.candidateLimit))
    let name = try #require(Array(repeating: UInt8(1), count: 32).withOctets { SecretName(.random, $0) })
    let places = log.places(.master, of: name)
    #expect(places.map { log.withSecret(at: $0) { $0.octet(0) } } == (1...UInt8(KeyLog.candidateLimit)).reversed())
    #expect(secret(log, .master, 1)?.first == UInt8(KeyLog.candidateLimit))
    log.noteUse(of: places[9])
    log.noteUse(of: places[9])
    #expect(secret(log, .master, 1)?.first == UInt8(KeyLog.candidateLimit - 9))
    #expect(log.places(.master, of: name).count == KeyLog.candidateLimit)
    let counts = log.sources[SecretMark.captures]
    #expect(counts.secrets == KeyLog.candidateLimit && counts.used == 1 && counts.repeated == 0)
  }

  /// The same secrets in every dress in which programs and their logs write them, in pieces of any length.
  @Test func logsInOtherDresses() {
    let plain = [
      "# a comment with CLIENT_RANDOM \(hex(9, 32)) in it",
      "CLIENT_HANDSHAKE_TRAFFIC_SECRET \(hex(0xca, 32)) \(hex(2, 48))",
      "EXPORTER_SECRET \(hex(0xca, 32)) \(hex(0xfe, 48))", "SERVER_TRAFFIC_SECRET_0 \(hex(0xca, 32)) \(hex(0xce, 32))",
      "EARLY_EXPORTER_SECRET \(hex(0xca, 32)) \(hex(8, 32))", "ECH_CONFIG \(hex(0xca, 32)) \(hex(8, 99))",
      "RSA \(hex(7, 8)) \(hex(5, 48))", "CLIENT_RANDOM \(hex(0xdc, 32)) \(hex(6, 48))",
      "RSA Session-ID:\(hex(3, 32)) Master-Key:\(hex(4, 48))",
    ]
    func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
      ("\u{feff}" + text).utf16.flatMap {
        bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xff)] : [UInt8($0 & 0xff), UInt8($0 >> 8)]
      }
    }
    let lines = plain.map { $0 + "\n" }.joined()
    var dresses: [(String, [UInt8])] = [
      ("plain", Array(lines.utf8)), ("byte order mark", [0xef, 0xbb, 0xbf] + Array(lines.utf8)),
      ("CR LF", Array(plain.joined(separator: "\r\n").utf8)), ("CR", Array(plain.joined(separator: "\r").utf8)),
      ("UTF-16 LE", utf16(lines, bigEndian: false)), ("UTF-16 BE", utf16(lines, bigEndian: true)),
      ("UTF-16 CR LF", utf16(plain.joined(separator: "\r\n"), bigEndian: false)),
      ("no line ends", Array(plain.joined().utf8)),
      ("UTF-16 without line ends", utf16(plain.joined(), bigEndian: false)),
      ("quoted", Array(plain.map { "{\"line\":\"\($0)\"}," }.joined().utf8)),
      (
        "upper case",
        Array(
          plain.map {
            $0.split(separator: " ").map {
              $0.count > 15 && !$0.contains("_") && !$0.contains(":") ? $0.uppercased() : String($0)
            }.joined(separator: " ")
          }.joined().utf8)
      ),
      ("more spaces", Array(lines.replacing(" ", with: " \t ").utf8)),
    ]
    for prefix in ["11-25 10:00:00.123  4321  4345 I KEYLOG  : ", "[RSA] \u{1b}[0m", "2026-11-25T10:00:00Z SECRETS=C"] {
      dresses.append((prefix, Array(plain.map { prefix + $0 + "\n" }.joined().utf8)))
    }
    let labels: [(SecretLabel, UInt8, SecretName.Kind, Int, UInt8)] = [
      (.clientHandshakeTraffic, 0xca, .random, 32, 2), (.serverTraffic, 0xca, .random, 32, 0xce),
      (.premaster, 7, .encryptedPremaster, 8, 5), (.master, 0xdc, .random, 32, 6), (.master, 3, .session, 32, 4),
    ]
    for (name, octets) in dresses {
      for length in [octets.count, 1, 97, 1024] {
        var log = KeyLog(limit: 1 << 24)
        for start in stride(from: 0, to: octets.count, by: length) {
          Array(octets[start..<min(start + length, octets.count)]).withOctets { log.read($0, source: 3) }
        }
        log.finishLine()
        #expect(log.count == labels.count && log.sources[3].secrets == labels.count, "\(name), pieces of \(length)")
        #expect(log.sources[3].octets == octets.count)
        for (label, value, kind, count, octet) in labels {
          #expect(secret(log, label, value, kind, count)?.first == octet, "\(name), pieces of \(length): \(label)")
        }
      }
    }
  }

  /// The logs' octets and secrets are told apart, also those that an earlier log had. A line that one log leaves open does not go on in the
  /// next one.
  @Test func sourcesAreToldApart() {
    let line = "CLIENT_RANDOM \(hex(1, 32)) \(hex(2, 48))\n"
    var log = KeyLog(limit: 1 << 24)
    for (text, source) in [
      (line, 2), (line + "CLIENT_RANDOM ", 3), (line.replacing("CLIENT_RANDOM 01", with: "CLIENT_RANDOM 02"), 4),
    ] {
      Array(text.utf8).withOctets { log.read($0, source: source) }
    }
    #expect(log.sources[2].secrets == 1 && log.sources[2].octets == line.utf8.count)
    #expect(log.sources[3].secrets == 0 && log.sources[3].repeated == 1)
    #expect(log.sources[4].secrets == 1 && log.count == 2)
  }

  @Test func piecesOfAnyLength() {
    let text = Array(
      ("CLIENT_RANDOM \(hex(1, 32)) \(hex(2, 48))\n" + String(repeating: "x", count: 3000) + "\n"
        + "CLIENT_RANDOM \(hex(4, 32)) \(hex(5, 48))\n").utf8)
    for length in [1, 2, 7, 100, 1023, 1024, 1025] {
      var log = KeyLog(limit: 1 << 24)
      for start in stride(from: 0, to: text.count, by: length) {
        Array(text[start..<min(start + length, text.count)]).withOctets { log.read($0, source: SecretMark.captures) }
      }
      #expect(log.count == 2 && secret(log, .master, 4) != nil, "\(length)")
    }
  }

  /// Very many names are found again, and what has no room is refused and said.
  @Test func manyNamesInLimitedMemory() {
    func random(_ number: Int) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 64 - digits.count) + digits
    }
    var text = ""
    for number in 0..<30_000 { text += "CLIENT_RANDOM \(random(number)) \(hex(UInt8(number % 251), 48))\n" }
    let all = log(text)
    #expect(all.count == 30_000)
    for number in [0, 1, 4711, 29_999] {
      var octets: [UInt8] = Array(repeating: 0, count: 32)
      (octets[30], octets[31]) = (UInt8(number >> 8), UInt8(number & 0xff))
      #expect(secret(all, .master, octets) == Array(repeating: UInt8(number % 251), count: 48))
    }
    #expect(all.memory < 6 << 20)
    var limited = log(text, limit: 1 << 20)
    #expect(limited.count > 10_000 && limited.count < 30_000 && limited.memory < 3 << 20)
    #expect(limited.count + limited.takeRefused() == 30_000)
  }

  /// Every octet at every place: digits are those of the standard library, and nothing else is one.
  @Test func digitsAreThoseOfEveryOctet() {
    for place in 0..<8 {
      for octet in UInt8.min...UInt8.max {
        var text = Array("0a9F4bE7".utf8)
        text[place] = octet
        let word = text.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
        let isDigit = Character(UnicodeScalar(octet)).isHexDigit && octet < 0x80
        let expected = isDigit ? UInt32(String(decoding: text, as: UTF8.self), radix: 16)?.byteSwapped : nil
        #expect(HexadecimalDigits.value(word) == expected, "\(octet) at \(place)")
      }
    }
  }

  /// Waiting connections are offered secrets as often as packets and secrets pay for, however many there are.
  @Test func offersArePaidFor() {
    var offers = SecretOffers()
    var looks = 0
    for round in 0..<10_000 where offers.take(5000, after: round * 2, 1) { looks += 5000 }
    #expect(looks <= SecretOffers.most + 30_000 && looks > SecretOffers.most)
    // A dialogue of programs with few that wait gets each.
    offers = SecretOffers()
    var given = 0
    for round in 0..<10_000 where offers.take(12, after: round * 12, 5) { given += 1 }
    #expect(given == 10_000)
    let isTooMuch = !offers.take(SecretOffers.most + 1, after: 1 << 20, 1 << 20)
    #expect(isTooMuch)
  }
}
