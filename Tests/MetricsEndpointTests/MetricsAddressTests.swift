import Testing

@testable import MetricsEndpoint

@Suite struct MetricsAddressTests {
  @Test(arguments: [
    ("127.0.0.1:9090", "127.0.0.1:9090", true), (":9090", "127.0.0.1:9090", true), ("[::1]:9090", "[::1]:9090", true),
    ("localhost:9090", "127.0.0.1:9090", true), ("0.0.0.0:0", "0.0.0.0:0", false), ("[::]:65535", "[::]:65535", false),
    ("[2001:db8::1]:80", "[2001:db8::1]:80", false),
  ]) func isRead(_ text: String, _ description: String, _ isLoopback: Bool) throws {
    let address = try MetricsAddress(text)
    #expect(address.description == description)
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", ":", "9090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-1", "::1:9090",
    "[127.0.0.1]:9090", "[::1]9090", "example.com:9090", "127.0.0.1.:9090", "[::g]:9090", "127.0.0.1:９",
  ]) func isRefused(_ text: String) {
    let error = #expect(throws: MetricsError.self) { try MetricsAddress(text) }
    #expect(error?.description.contains("\n") == false)
  }
}
