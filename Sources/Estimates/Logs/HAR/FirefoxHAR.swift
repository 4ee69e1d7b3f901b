/// HAR of Firefox.
///
/// The response's `bodySize` is everything that was transferred, header section included, so whoever adds
/// `headersSize` counts headers twice: here it is the length of the whole message too. From a cache it is -1 or what
/// the first transfer had; no field tells which responses those are. The request's `bodySize` is the length of the
/// posted text in UTF-16 units.
struct FirefoxHAR: HARMeaning {
  let dialect = LogDialect.harFirefox

  func response(_ message: HARMessage) -> HARFigures {
    HARFigures(
      headers: message.headersSize, body: message.bodySize, decoded: message.content?.size, whole: message.bodySize)
  }
}
