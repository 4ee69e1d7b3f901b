import Testing

/// A coded content that decodes without fault, and what it decodes to.
struct Fixture: CustomTestStringConvertible {
  let name: String
  let codings: [String]
  let coded: [UInt8]
  let decoded: [UInt8]
  /// Lengths at which a prefix of `coded` is whole, with the length that it decodes to.
  var wholePrefixes: [Int: Int] = [:]
  /// Whether a checksum covers what is decoded.
  var isVerified = true

  var testDescription: String { name }

  static let all = gzip + deflate + brotli + zstandard + stacked

  private static let json = text(items: 30)
  private static let zeros = [UInt8](repeating: 0, count: 131_072)

  private static let gzip: [Fixture] = [
    Fixture(name: "gzip", codings: ["gzip"], coded: ContentCodingsTests.gzip(json), decoded: json),
    Fixture(name: "x-gzip", codings: ["x-gzip"], coded: ContentCodingsTests.gzip(json), decoded: json),
    Fixture(name: "gzip of nothing", codings: ["gzip"], coded: ContentCodingsTests.gzip([]), decoded: []),
    Fixture(name: "gzip, stored", codings: ["gzip"], coded: ContentCodingsTests.gzip(json, level: 0), decoded: json),
    Fixture(name: "gzip, two whole buffers", codings: ["gzip"], coded: ContentCodingsTests.gzip(zeros), decoded: zeros),
    Fixture(name: "gzip, full header", codings: ["gzip"], coded: gzipWithFullHeader(json), decoded: json),
    {
      let first = ContentCodingsTests.gzip(json)
      let second = ContentCodingsTests.gzip([])
      let third = gzipWithFullHeader(json)
      return Fixture(
        name: "gzip, three members", codings: ["gzip"], coded: first + second + third, decoded: json + json,
        wholePrefixes: [first.count: json.count, first.count + second.count: json.count])
    }(),
  ]

  private static let deflate: [Fixture] = [
    Fixture(name: "deflate, zlib", codings: ["deflate"], coded: zlib(json), decoded: json),
    Fixture(name: "deflate, zlib, level 9", codings: ["deflate"], coded: zlib(json, level: 9), decoded: json),
    Fixture(name: "deflate, zlib of nothing", codings: ["deflate"], coded: zlib([]), decoded: []),
    Fixture(name: "deflate, raw", codings: ["deflate"], coded: rawDeflate(json), decoded: json, isVerified: false),
    Fixture(
      name: "deflate, raw, stored", codings: ["deflate"], coded: rawDeflate(json, level: 0), decoded: json,
      isVerified: false),
    Fixture(
      name: "deflate, raw of nothing", codings: ["deflate"], coded: rawDeflate([]), decoded: [], isVerified: false),
    Fixture(
      name: "deflate, raw, two whole buffers", codings: ["deflate"], coded: rawDeflate(zeros), decoded: zeros,
      isVerified: false),
    // A stored block with padding that is not zero, so that the first octet looks like a zlib header's.
    Fixture(
      name: "deflate, raw, odd padding", codings: ["deflate"], coded: octets("780200fdff61620300"),
      decoded: [0x61, 0x62], isVerified: false),
  ]

  // Made with libbrotlienc 1.0.9.
  private static let brotli: [Fixture] = [
    Fixture(
      name: "br", codings: ["br"],
      coded: octets(
        "1b2f03e09d05764c9b4edae870b0b17c1663a9b3d7e7c6b67ebb2188281d4696e6a64540cadaf2547f033c5cf4473b9f0ebd"
          + "f144328a422e0b22d56f92fae6e35d3dd5fb17300047e80974c330e1c06963a3e0622139bca07c504528422c495d8e543166"
          + "9123d7585b17dc6a4a8971602d550925887542af61a45a63963972adb16b195d9d90eba600"),
      decoded: json, isVerified: false),
    Fixture(
      name: "br of nothing", codings: ["br"],
      coded: octets("06"),
      decoded: [], isVerified: false),
    Fixture(
      name: "br of one octet", codings: ["br"],
      coded: octets("0b00806103"),
      decoded: [0x61], isVerified: false),
    Fixture(
      name: "br, two whole buffers", codings: ["br"],
      coded: octets("eaff3ff04f00c4638140ee7d00"),
      decoded: zeros, isVerified: false),
    Fixture(
      name: "br, long text", codings: ["br"],
      coded: octets(
        "1f1b0b0044b54153969c7e716dbb6e7be74878f102148e00155d24e04120a8f745ed16d3cfd06c535de81902ffdb12078f0e"
          + "1ff134a456dafeff77de5fe7791fe7e7f3fb759ee7fdfbfafeb8e7fff11270017819742df80701ea9b0559ca835e9e0b6665"
          + "79b06bbee82f5cdf771b463673a7103c1a10322a584b05ef346056eee4e2d080441a9002f16e62d8c4f010a3488c6ae23dc4"
          + "23b9931d3de76447af75b23ddfd864f725edddd32633ee6134c9b8a7d82403c7dfa40375433258704d3254a94d325ce24d32"
          + "aa379a6504b2916e6c96d14ddc2c637abfbbafdeaf8c6aed0b7ae382aa9678217f5017f2077da1320baa07933dc9ec795bc9"
          + "9c15b7d2837b114f1cdaa55ab1315a3d16a395598a5666392887ea8862b553ac81622d14fb42390cc51614db50ec40b11bec"
          + "5f5711b5eb3ab50b606f81bd0df551503faab327b9166ae742ed109a233f311aa79c26d33499a1c9be342f4d932d9aeca2c9"
          + "6e9aeca5cd016d0e69734c9b13da9ca17d59da5cd2e69a3637b45f3b"),
      decoded: text(items: 100), isVerified: false),
  ]

  private static let zstandard: [Fixture] = [
    Fixture(
      name: "zstd", codings: ["zstd"], coded: ContentCodingsTests.zstandard(json), decoded: json, isVerified: false),
    Fixture(
      name: "zstd, checksum", codings: ["zstd"], coded: ContentCodingsTests.zstandard(json, hasChecksum: true),
      decoded: json),
    Fixture(
      name: "zstd of nothing", codings: ["zstd"], coded: ContentCodingsTests.zstandard([]), decoded: [],
      isVerified: false),
    Fixture(
      name: "zstd, two whole buffers", codings: ["zstd"], coded: ContentCodingsTests.zstandard(zeros), decoded: zeros,
      isVerified: false),
    // Made with zstd 1.5.4 from a pipe: no length in the header, and a checksum.
    Fixture(
      name: "zstd, from a pipe", codings: ["zstd"],
      coded: octets("28b52ffd0468a500007068656c6c6f2c20776f726c642c200100c14d25e5c7af53"),
      decoded: Array("hello, world, hello, world".utf8)),
    {
      let parts = [
        skippableFrame([], variant: 15), ContentCodingsTests.zstandard(json, hasChecksum: true),
        skippableFrame(noise(40)), ContentCodingsTests.zstandard([]), ContentCodingsTests.zstandard(json),
      ]
      let lengths = [0, json.count, json.count, json.count]
      var whole: [Int: Int] = [:]
      for (count, length) in lengths.enumerated() {
        whole[parts.prefix(count + 1).reduce(0) { $0 + $1.count }] = length
      }
      return Fixture(
        name: "zstd, several frames", codings: ["zstd"], coded: parts.flatMap { $0 }, decoded: json + json,
        wholePrefixes: whole, isVerified: false)
    }(),
  ]

  private static let stacked: [Fixture] = [
    Fixture(
      name: "deflate, then gzip", codings: ["deflate", "gzip"], coded: ContentCodingsTests.gzip(zlib(json)),
      decoded: json),
    Fixture(
      name: "gzip, then zstd, with identity", codings: ["gzip", "identity", "zstd"],
      coded: ContentCodingsTests.zstandard(ContentCodingsTests.gzip(json)), decoded: json),
    Fixture(
      name: "br, then gzip", codings: ["br", "gzip"], coded: ContentCodingsTests.gzip(brotli[0].coded), decoded: json,
      isVerified: false),
    Fixture(
      name: "gzip four times", codings: ["gzip", "x-gzip", "gzip", "x-gzip"],
      coded: ContentCodingsTests.gzip(
        ContentCodingsTests.gzip(ContentCodingsTests.gzip(ContentCodingsTests.gzip(json)))), decoded: json),
  ]
}
