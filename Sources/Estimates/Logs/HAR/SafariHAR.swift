/// HAR of Safari's Web Inspector (creator `WebKit Web Inspector`).
///
/// Sizes come from the network process: headers and body as transferred, -1 when it does not say. `_transferSize` is
/// the whole response, `_fetchType` says where it came from.
struct SafariHAR: HARMeaning {
  let dialect = LogDialect.harSafari

  func response(_ message: HARMessage) -> HARFigures {
    var figures = Self.standard(message)
    figures.decoded = message.content?.size
    if figures.whole == nil { figures.whole = message.transferSize }
    return figures
  }

  func isFromCache(_ entry: HAREntry) -> Bool {
    switch entry.fetchType {
    case "Memory Cache", "Disk Cache", "Service Worker", "Inspector Override": true
    default: false
    }
  }
}
