import Testing

@testable import HTTPReassembly

/// The rules of docs/templates.md, segment by segment.
@Suite struct PathTemplateTests {
  private static func template(_ path: String) -> String {
    String(decoding: PathTemplate.template(of: Array(path.utf8)), as: UTF8.self)
  }

  private static let identifiers = """
    0 1 42 007 10001 8675309 20261123T1015Z 20261123t101500z 2026 37648 1234567890123456789012 20261123 20261123T101500 1700000000 1700000000123
    2026-11-23 2026-11 2026-11-23T10:15:00Z 2026-11-23T10%3A15%3A00Z 2026-11-23T10:15:00.123+01:00 1999-01-01
    3fa85f64-5717-4562-b3fc-2c963f66afa6 3FA85F64-5717-4562-B3FC-2C963F66AFA6 00000000-0000-0000-0000-000000000000
    550e8400-e29b-41d4-a716-446655440000 018f4e3a-7b1c-7d2e-9f3a-1b2c3d4e5f60
    0123456789abcdef 0a1b2c3d deadbee1 DEADBEE1 1a2b3c4d5e 507f1f77bcf86cd799439011 e3b0c44298fc1c14
    da39a3ee5e6b4b0d3255bfef95601890afd80709 d41d8cd98f00b204e9800998ecf8427e c0ffee00 9c1185a5 1f0e3dad 5e884898
    01ARZ3NDEKTSV4RRFFQ69G5FAV 01arz3ndektsv4rrffq69g5fav 01BX5ZZKBKACTAV9WEVGEMMVRZ 7ZZZZZZZZZZZZZZZZZZZZZZZZZ
    01HF7YAT00N3Z3V6WJ1YQ2K9D8 01H8XYZABCDEFGHJKMNPQRSTVW
    dQw4w9WgXcQ eyJhbGciOiJIUzI1NiJ9 Zm9vYmFyMTIzNDU2Nzg5 Zm9vYmFyMTIzNDU2Nzg5MA== Zm9vYmFyMTIzNDU2Nzg5MA%3D%3D
    a8Kz03Lm92QpX1vB7dR5 V1StGXR8_Z5jdHi6B-myT 4f90d13a42 kX9fR2mQ7v x7Yp2Lq9Zt cus_9s6XKzkNRiz8i3 pi_3MtwBwLkdIwHu7ix28a3tqPa
    1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms AKIAIOSFODNN7EXAMPLE12 sk4f9d8s7f6a5g4h3j2k
    ORD-2026-00123 INV-12345 INV_12345 ABC-123 JIRA-4711 PO-000123 invoice-12345 order_98765 user12345 item00042 USR12345
    ORDER-1-22-333 SKU-0001 TKT-20261123-0001 msg_1234567 session-1700000000 12-34567 2024_0001 123-456-7890 0000-0002-1825-0097
    """

  private static let names = """
    users orders v1 v2 v10 v1.2 1.1 2.0.1 api api2 x86 h264 mp3 ipv6 oauth2 sha256 base64 utf-8 iso-8859-1 http2 s3 ec2 k8s
    me self all latest index default search login logout graphql rest rpc json xml feed rss atom health status
    internationalization accessibility authentication administration configuration subscriptions
    getUserProfileImageUrl listAllOrdersForCustomer createSession iPhone15ProMax MacBookAir2024 userProfile userSettingsV2
    my-nice-article top-10-songs-of-2025 top-10 iphone-15 covid-19 area-51 summer-2026 black-friday-2026 windows-11 route-66
    breaking-news-from-2026-11-23-today how-to-learn-swift-in-24-hours the-100-best-books my_long_title_with_words_2026
    10-best-phones-of-2026-under-500-dollars The-Lord-of-the-Rings-1954-2001
    0123456789abcde deadbeef facade defaced cafebabe effaced decade accede beaded fade added abcdef
    abc abc1 a1 a1b2c3 12ab 1a 2nd 3rd 4k 8k 24h 7days 30min 100px 1080p 16x9
    name.with.1234567890123456789 robots.txt favicon.ico main.js styles.css app.bundle.js index.html sitemap.xml logo@2x.png
    jquery-3.7.1.min.js bootstrap-5.3.0.css file.tar.gz .well-known apple-app-site-association _next static chunks
    @alice ~bob +1 $metadata a,b en-US de_DE zh-Hans-CN pt-BR USD EUR-USD GB-ENG
    %20 a%20b hello%20world caf%C3%A9 %E2%82%AC
    NASDAQ AAPL BRK.B q1-2026 Q4 H2 FY26 Monday january
    """

  @Test func identifiersAreReplaced() {
    let segments = Self.identifiers.split { $0.isWhitespace }
    #expect(segments.count >= 80)
    for segment in segments { #expect(Self.template("/a/\(segment)/b") == "/a/{id}/b", "\(segment)") }
  }

  @Test func namesAreKept() {
    let segments = Self.names.split { $0.isWhitespace }
    #expect(segments.count >= 120)
    for segment in segments { #expect(Self.template("/a/\(segment)/b") == "/a/\(segment)/b", "\(segment)") }
  }

  @Test(arguments: [
    ("", ""), ("/", "/"), ("/a//b/", "/a//b/"), ("*", "*"), ("42", "{id}"),
    ("/users/42/orders", "/users/{id}/orders"), ("/photos/37648.png", "/photos/{id}.png"),
    ("/f/3fa85f64-5717-4562-b3fc-2c963f66afa6.jpg", "/f/{id}.jpg"), ("/b/1700000000.tar.gz", "/b/{id}.tar.gz"),
    ("/hls/00042.m3u8", "/hls/{id}.m3u8"), ("/d/2026-11-23.json", "/d/{id}.json"), ("/x/42.", "/x/42."),
    ("/x/.42", "/x/.42"), ("/x/42.toolong", "/x/42.toolong"), ("/x/1.2", "/x/1.2"),
  ])
  func extensionsAreKept(_ path: String, _ template: String) {
    #expect(Self.template(path) == template)
  }

  @Test func theFirstSegmentsAreLookedAt() {
    let path = String(repeating: "/42", count: PathTemplate.segmentLimit + 10)
    let expected =
      String(repeating: "/{id}", count: PathTemplate.segmentLimit - 1) + String(repeating: "/42", count: 11)
    #expect(Self.template(path) == expected)
  }
}
