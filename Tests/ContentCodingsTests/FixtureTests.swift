import ContentCodings
import HTTPReassembly
import Testing

/// What holds for every coding.
@Suite struct FixtureTests {
  @Test(arguments: Fixture.all)
  func decodesWhole(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    let result = try #require(decode(fixture.coded, fixture.codings, from: source))
    #expect(result.outcome == .decoded(octets: fixture.decoded.count))
    #expect(result.octets == fixture.decoded)
  }

  @Test(arguments: Fixture.all)
  func splitsMakeNoDifference(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    let single = try #require(decode(fixture.coded, fixture.codings, cuts: 0...fixture.coded.count, from: source))
    #expect(single.outcome == .decoded(octets: fixture.decoded.count))
    #expect(single.octets == fixture.decoded)
    for cut in 0...fixture.coded.count {
      let result = try #require(decode(fixture.coded, fixture.codings, cuts: [cut], from: source))
      #expect(result.outcome == .decoded(octets: fixture.decoded.count), "cut at \(cut)")
      #expect(result.octets == fixture.decoded, "cut at \(cut)")
    }
  }

  @Test(arguments: Fixture.all)
  func prefixIsTruncated(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    for length in 1..<fixture.coded.count {
      let prefix = Array(fixture.coded.prefix(length))
      let expected: ContentOutcome =
        fixture.wholePrefixes[length].map { .decoded(octets: $0) } ?? .failed(.truncated)
      #expect(decode(prefix, fixture.codings, from: source)?.outcome == expected, "\(length) octets")
      #expect(decode(prefix, fixture.codings, cuts: 0...length, from: source)?.outcome == expected, "\(length) octets")
    }
  }

  @Test(arguments: Fixture.all)
  func trailingOctetsAreJunk(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    for junk in [[0], [0, 0, 0, 0, 0, 0, 0, 0], Array("</html>\r\n".utf8), [31, 0], [0xFF]] as [[UInt8]] {
      let content = fixture.coded + junk
      for cuts in [[], [fixture.coded.count], Array(0...content.count)] {
        let result = try #require(decode(content, fixture.codings, cuts: cuts, from: source))
        #expect(result.outcome == .decodedWithTrailingJunk(octets: fixture.decoded.count), "\(junk)")
        #expect(result.octets == fixture.decoded)
      }
    }
  }

  @Test(arguments: Fixture.all)
  func damageIsFoundOrHarmless(_ fixture: Fixture) throws {
    let source = SystemContentDecoders()
    for index in fixture.coded.indices {
      for damage in [0x01, 0x10, 0x80, 0xFF] as [UInt8] {
        var content = fixture.coded
        content[index] ^= damage
        let whole = try #require(decode(content, fixture.codings, from: source))
        if fixture.isVerified, case .decoded = whole.outcome {
          #expect(whole.octets == fixture.decoded, "octet \(index) ^ \(damage)")
        }
        guard damage == 0xFF else { continue }
        let single = try #require(decode(content, fixture.codings, cuts: 0...content.count, from: source))
        #expect(whole.outcome == single.outcome, "octet \(index)")
        // What came before leaves no trace in a decoder used again.
        #expect(decode(fixture.coded, fixture.codings, from: source)?.octets == fixture.decoded)
      }
    }
  }

  @Test(arguments: Fixture.all)
  func emptyContentIsWhole(_ fixture: Fixture) {
    let source = SystemContentDecoders()
    #expect(decode([], fixture.codings, from: source)?.outcome == .decoded(octets: 0))
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func noiseIsJudgedAlikeHoweverSplit(_ coding: String) {
    let source = SystemContentDecoders()
    let content = noise(20_000)
    for start in stride(from: 0, to: content.count - 64, by: 13) {
      let piece = Array(content[start..<(start + 64)])
      let whole = decode(piece, [coding], from: source)?.outcome
      #expect(whole == decode(piece, [coding], cuts: 0...64, from: source)?.outcome)
    }
  }
}
