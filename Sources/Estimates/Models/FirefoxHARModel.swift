/// A HAR file of Firefox.
///
/// Header: `headersSize`, the length of the header text, start-line and empty line included. Request body: `bodySize`, the
/// length of the body as a string. Response body: `bodySize`, which is `transferredSize`: everything that came, header
/// section included, which so counts twice.
///
/// Assumes that a body's string has one unit an octet, as binary content and ASCII do, and that nothing came from a cache.
/// Source: HAR 1.2; what Firefox's network monitor writes.
struct FirefoxHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(header: request.wire.headerTextLength, body: request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    PartLengths(header: response.wire.headerTextLength, body: response.wire.row.octets.total)
  }
}
