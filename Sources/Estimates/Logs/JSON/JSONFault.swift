import Foundation

/// The position where a text stops being JSON. The decoder does not tell it on all systems; the older parser does.
struct JSONFault: CustomStringConvertible {
  /// One line for people.
  let description: String

  /// The older parser is slow and builds objects until it fails, so larger texts are not parsed.
  static let limit = 8 << 20

  /// Finds the fault; nil without one.
  init?(_ data: Data) {
    guard data.count <= Self.limit else { return nil }
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      return nil
    } catch {
      let words = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? error.localizedDescription
      // "… around character N." counts octets from 0; people look for lines.
      let parts = words.components(separatedBy: " around character ")
      let digits = parts.count == 2 ? parts[1].prefix(while: \.isNumber) : ""
      if let offset = Int(digits), offset <= data.count {
        let before = data.prefix(offset)
        let line = before.count { $0 == 0x0a } + 1
        let column = offset - ((before.lastIndex(of: 0x0a)).map { $0 - before.startIndex + 1 } ?? 0) + 1
        description = "is not JSON: \(parts[0].lowercasedFirst) at line \(line), byte \(column)"
      } else {
        description = "is not JSON: \(words.lowercasedFirst.shortened(to: 120))"
      }
    }
  }
}

extension String {
  /// The text for use inside a sentence.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
