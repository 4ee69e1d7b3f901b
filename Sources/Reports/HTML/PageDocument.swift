import Cryptography
import Tabular

/// Puts the page together: one document that needs nothing but itself and may load nothing.
///
/// Its Content-Security-Policy allows exactly the style and the script that are in it, by their hashes (CSP Level 3
/// §2.3.1). The data is JSON in a `script` element of another type, which no browser runs.
enum PageDocument {
  /// The page with its data.
  static func octets(_ data: PageValue) -> [UInt8] {
    var json = JSONWriter()
    data.write(to: &json)
    let parts = [
      "policy": policy, "style": style, "script": script, "data": Array(json.octets),
    ]
    // The template is split once, so that nothing in a part looks like a slot of the template.
    var page: [UInt8] = []
    for (index, piece) in PackageResources.page_html.split(
      separator: UInt8(ascii: "%"), omittingEmptySubsequences: false
    ).enumerated() {
      if index % 2 == 0 { page += piece } else { page += parts[String(decoding: piece, as: UTF8.self)] ?? [] }
    }
    return page
  }

  private static let style = PackageResources.page_css
  /// The parts of the script in the order in which they need one another, in one strict scope.
  private static let script =
    Array("'use strict';\n".utf8) + PackageResources.text_js + PackageResources.elements_js
    + PackageResources.table_js + PackageResources.bars_js + PackageResources.chart_js
    + PackageResources.waterfall_js + PackageResources.sections_js + PackageResources.findings_js
    + PackageResources.page_js

  private static let policy = Array(
    "default-src 'none'; style-src '\(source(style))'; script-src '\(source(script))'; base-uri 'none'; form-action 'none'"
      .utf8)

  /// The hash-source of an inline element's text.
  private static func source(_ text: [UInt8]) -> String {
    "sha256-" + String(decoding: Base64.text(SHA256.digest(text)), as: UTF8.self)
  }
}
