import CSodium
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
  ///
  /// Unsafe only as calls of C functions are that are given buffers: libsodium writes exactly
  /// `crypto_hash_sha256_bytes()` octets and reads as many as it is told there are; of the text in Base64 it writes at
  /// most as many octets as it is told there is room for, and ends them with a zero.
  private static func source(_ text: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: crypto_hash_sha256_bytes())
    _ = unsafe crypto_hash_sha256(&digest, text, UInt64(text.count))
    var base64 = [CChar](repeating: 0, count: sodium_base64_encoded_len(digest.count, sodium_base64_VARIANT_ORIGINAL))
    _ = unsafe sodium_bin2base64(&base64, base64.count, digest, digest.count, sodium_base64_VARIANT_ORIGINAL)
    return "sha256-" + String(decoding: base64.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
