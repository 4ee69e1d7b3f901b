import Testing

@testable import Shared

@Suite("Field compression") struct FieldCompressionTests {
  /// RFC 7541, appendix C.4: three requests on a connection.
  @Test("The examples of the RFC") func examples() {
    var client = FieldCompression()
    let first = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")]
    #expect(client.octets(of: first) == 17)
    #expect(client.octets(of: first + [("cache-control", "no-cache")]) == 12)
    let third = [(":method", "GET"), (":scheme", "https"), (":path", "/index.html"), (":authority", "www.example.com")]
    #expect(client.octets(of: third + [("custom-key", "custom-value")]) == 24)
    #expect(client.octets(of: third + [("custom-key", "custom-value")]) == 5)
  }

  @Test("Integers and strings, with the examples of appendix C.1") func integers() {
    #expect(FieldCompression.integer(10, prefix: 5) == 1 && FieldCompression.integer(1337, prefix: 5) == 3)
    #expect(FieldCompression.integer(42, prefix: 8) == 1 && FieldCompression.integer(31, prefix: 5) == 2)
    #expect(FieldCompression.string("") == 1 && FieldCompression.string("www.example.com") == 13)
    // Octets with long code words are sent as they are.
    #expect(FieldCompression.string("{{{{") == 5)
  }

  @Test("The oldest fields leave the table when it is full; a field that is too large is not kept") func eviction() {
    var client = FieldCompression()
    let fields = (0..<128).map { ("x-\($0)", "value-\($0)") }
    let once = client.octets(of: fields)
    #expect(client.octets(of: fields.suffix(60)) < 130 && client.octets(of: [fields[0]]) > 5)
    #expect(client.octets(of: fields) > once / 3)
    let large = [("x-large", String(repeating: "a", count: 4000))]
    #expect(client.octets(of: large) == client.octets(of: large))
  }
}
