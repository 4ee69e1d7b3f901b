import HTTPReassembly
import Tabular

/// A field line of a header section as sent (RFC 9112 §5).
struct HARField {
  /// The name as sent, in any case.
  var name: [UInt8] = []
  /// The value, without whitespace around it.
  var value: [UInt8] = []

  /// Whether the field has this name, given in lower case; names are case-insensitive (RFC 9110 §5.1).
  func isNamed(_ lowercased: StaticString) -> Bool {
    guard name.count == lowercased.utf8CodeUnitCount else { return false }
    return name.indices.allSatisfy { index in
      let octet = name[index]
      return (octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet) == lowercased.octet(index)
    }
  }
}

/// Header fields and cookies of a message.
enum HARFields {
  /// `httpVersion`; HTTP/0.9 has none on the wire.
  static func appendVersion(_ message: Message, texts: borrowing TextPool, to json: inout JSONWriter) {
    if message.flags.contains(.version09) {
      json.name("HTTP/0.9")
    } else {
      json.escaped(texts.octets(message.version))
    }
  }

  /// Appends `headers`, and `cookies` from the fields with the name `cookies` (in lower case).
  static func append(_ fields: [HARField], cookies name: StaticString, to json: inout JSONWriter) {
    json.key("headers")
    json.open("[")
    for field in fields { appendPair(field.name, field.value, to: &json) }
    json.close("]")
    json.key("cookies")
    json.open("[")
    for field in fields where field.isNamed(name) {
      let parts = field.value.split(separator: UInt8(ascii: ";"))
      if field.isNamed("set-cookie") {
        // A field has one cookie, and its attributes follow (RFC 6265 §4.1).
        if let first = parts.first { append(cookie: first, attributes: parts.dropFirst(), to: &json) }
      } else {
        for part in parts { append(cookie: part, attributes: [], to: &json) }
      }
    }
    json.close("]")
  }

  /// Appends an object of a name and a value as sent.
  static func appendPair(_ name: [UInt8], _ value: [UInt8], to json: inout JSONWriter) {
    json.open("{")
    appendMembers(name, value, to: &json)
    json.close("}")
  }

  private static func appendMembers(_ name: [UInt8], _ value: [UInt8], to json: inout JSONWriter) {
    json.key("name")
    let isNameUTF8 = json.literal(name)
    json.key("value")
    let isValueUTF8 = json.literal(value)
    guard !isNameUTF8 || !isValueUTF8 else { return }
    json.key("_wireCharset")
    json.name("iso-8859-1")
  }

  private static func append(
    cookie: ArraySlice<UInt8>, attributes: ArraySlice<ArraySlice<UInt8>>, to json: inout JSONWriter
  ) {
    let (name, value) = pair(cookie)
    guard !name.isEmpty || !value.isEmpty else { return }
    json.open("{")
    appendMembers(name, value, to: &json)
    // Each attribute appears once, the first one sent. `expires` has a form of its own in HAR; the header has the original.
    var seen: Set<String> = []
    for attribute in attributes {
      let (name, value) = pair(attribute)
      let key = String(decoding: name, as: UTF8.self).lowercased()
      guard ["path", "domain", "httponly", "secure"].contains(key), seen.insert(key).inserted else { continue }
      switch key {
      case "path", "domain":
        json.key(key)
        json.literal(value)
      default:
        json.key(key == "secure" ? "secure" : "httpOnly")
        json.boolean(true)
      }
    }
    json.close("}")
  }

  private static func pair(_ text: ArraySlice<UInt8>) -> (name: [UInt8], value: [UInt8]) {
    let parts = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return (trimmed(parts.first ?? []), parts.count > 1 ? trimmed(parts[1]) : [])
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == 0x09 }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return Array(text)
  }
}

/// The parts of a start-line (RFC 9112 §3, §4) that rows lack.
struct HARStartLine {
  private let line: [UInt8]

  /// Takes a line without terminator; empty when it is unknown.
  init(_ line: [UInt8]) { self.line = line }

  /// The query of a request-line, whose octets are known (`Message.queryLength`). It is the end of the target, just before the
  /// version, if there is one. Nil when the line is unknown.
  func query(length: Int) -> [UInt8]? {
    var end = trimmedEnd(line.count)
    guard end > 0 else { return nil }
    if let space = line[..<end].lastIndex(where: Self.isSpace), isVersion(line[(space + 1)..<end]) {
      end = trimmedEnd(space)
    }
    let start = end - length
    guard start > 0, line[start - 1] == UInt8(ascii: "?") else { return nil }
    return Array(line[start..<end])
  }

  /// The reason-phrase of a status-line; empty when there is none.
  var reason: [UInt8] {
    let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: Self.isSpace)
    return parts.count == 3 ? Array(parts[2]) : []
  }

  private func trimmedEnd(_ end: Int) -> Int {
    var end = end
    while end > 0, Self.isSpace(line[end - 1]) { end -= 1 }
    return end
  }

  private func isVersion(_ text: ArraySlice<UInt8>) -> Bool { text.starts(with: "HTTP/".utf8) }

  private static func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == 0x09 }
}
