import Foundation
import Testing

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The formulas, where no server is needed to see them.
@Suite("Formulas") struct EstimateTests {
  @Test(
    "Dot segments, as RFC 3986 has them",
    arguments: [
      ("/a/b/c/./../../g", "/a/g"), ("/a/..", "/"), ("/.", "/"), ("/../a", "/a"), ("/a/.b", "/a/.b"), ("/a/./", "/a/"),
      ("/a//../b", "/a/b"), ("", ""),
    ])
  func dots(path: String, expected: String) { #expect(ExpectedTarget.withoutDotSegments(path) == expected) }

  @Test("Folded cookies are told apart, and dates are not")
  func cookies() {
    #expect(
      ResponseFields.unfolded("a=1; Path=/, b=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT; Path=/, c=, d=x,y")
        == ["a=1; Path=/", "b=2; Expires=Wed, 09 Jun 2100 10:18:14 GMT; Path=/", "c=", "d=x,y"])
    #expect(ResponseFields.unfolded("") == [""])
  }

  @Test("Chunks: size line, content, CRLF; and the last chunk")
  func chunks() {
    var framing = ChunkFraming()
    #expect(framing.octets == "0\r\n\r\n".utf8.count)
    framing.add(16)
    framing.add(0)
    #expect(framing.octets == "10\r\n\r\n0\r\n\r\n".utf8.count)
  }

  @Test("The authority leaves out the scheme's own port")
  func authority() throws {
    for (url, expected) in [
      ("http://a.example:80/", "a.example"), ("https://a.example:443/", "a.example"),
      ("https://a.example:80/", "a.example:80"), ("http://[::1]:8080/", "[::1]:8080"),
    ] {
      #expect(try RequestFields.authority(of: #require(URL(string: url))) == expected)
    }
  }

  @Test("What the error tells of a cut transfer")
  func missing() {
    let error = NSError(
      domain: NSURLErrorDomain, code: -1,
      userInfo: [NSLocalizedDescriptionKey: "transfer closed with 2465 bytes remaining to read"])
    #expect(ResponseBody.missing(in: error) == 2465)
    #expect(ResponseBody.missing(in: URLError(.cancelled)) == nil && ResponseBody.missing(in: nil) == nil)
  }

  @Test("A configuration that gets a probe keeps its other protocols")
  func injection() {
    final class Other: URLProtocol {}
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Other.self]
    let probe = TrafficProbe(store: nil)
    #expect(probe.inject(into: configuration) && probe.inject(into: configuration))
    #expect(configuration.protocolClasses?.count == 2)
    #expect(configuration.protocolClasses?.last == Other.self)
  }
}
