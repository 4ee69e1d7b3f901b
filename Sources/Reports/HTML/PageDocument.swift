import Cryptography
import Tabular

/// Puts the page together: one document that needs no other file and may load nothing.
///
/// Its Content-Security-Policy allows exactly its own style and script, by their hashes (CSP Level 3 §2.3.1). The data is JSON in
/// a `script` element of another type, which no browser runs.
enum PageDocument {
  /// The page with its data.
  static func octets(_ data: PageValue) -> [UInt8] {
    let (head, tail) = parts(script: script, mayAsk: false)
    return head + json(data) + tail
  }

  /// The parts before and after the data in the page of a live run. Its script may ask its own server for newer data, and nothing
  /// else.
  static var live: (head: [UInt8], tail: [UInt8]) {
    parts(script: script + PackageResources.live_js, mayAsk: true)
  }

  /// The data in the form of the page.
  static func json(_ data: PageValue) -> [UInt8] {
    var json = JSONWriter()
    data.write(to: &json)
    return Array(json.octets)
  }

  private static func parts(script: [UInt8], mayAsk: Bool) -> (head: [UInt8], tail: [UInt8]) {
    let promise =
      mayAsk ? "This page asks nobody but the run that it is of." : "This page loads nothing and sends nothing."
    let slots = [
      "policy": policy(script, mayAsk: mayAsk), "style": style, "script": script, "promise": Array(promise.utf8),
    ]
    var (head, tail): ([UInt8], [UInt8]) = ([], [])
    var isHead = true
    // The template is split once, so that text in a part is never taken for a slot of the template.
    for (index, piece) in PackageResources.page_html.split(
      separator: UInt8(ascii: "%"), omittingEmptySubsequences: false
    ).enumerated() {
      let name = index % 2 == 0 ? nil : String(decoding: piece, as: UTF8.self)
      if name == "data" { isHead = false }
      let octets = name.map { slots[$0] ?? [] } ?? Array(piece)
      if isHead { head += octets } else { tail += octets }
    }
    return (head, tail)
  }

  private static let style = PackageResources.page_css
  /// The parts of the script, each after those that it needs, in one strict scope.
  private static let script =
    Array("'use strict';\n".utf8) + PackageResources.text_js + PackageResources.elements_js
    + PackageResources.table_js + PackageResources.bars_js + PackageResources.chart_js
    + PackageResources.links_js + PackageResources.exchanges_js + PackageResources.savings_js
    + PackageResources.sockets_js + PackageResources.sections_js
    + PackageResources.findings_js + PackageResources.page_js

  private static func policy(_ script: [UInt8], mayAsk: Bool) -> [UInt8] {
    var policy = "default-src 'none'; style-src '\(source(style))'; script-src '\(source(script))'; "
    if mayAsk { policy += "connect-src 'self'; " }
    return Array((policy + "base-uri 'none'; form-action 'none'").utf8)
  }

  /// The hash-source of an inline element's text.
  private static func source(_ text: [UInt8]) -> String {
    "sha256-" + String(decoding: Base64.text(SHA256.digest(text)), as: UTF8.self)
  }
}
