import Estimates
import HTTPReassembly

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

  /// Appends `headers` and, from the fields of the name `cookies` (in lower case), `cookies`.
  static func append(_ fields: [WireField], cookies name: StaticString, to json: inout JSONWriter) {
    json.key("headers")
    json.open("[")
    for field in fields { appendPair(field.name, field.value, to: &json) }
    json.close("]")
    json.key("cookies")
    json.open("[")
    for field in fields where field.isNamed(name) {
      let parts = field.value.split(separator: UInt8(ascii: ";"))
      if field.isNamed("set-cookie") {
        // One cookie a field; what follows are its attributes (RFC 6265 §4.1).
        if let first = parts.first { append(cookie: first, attributes: parts.dropFirst(), to: &json) }
      } else {
        for part in parts { append(cookie: part, attributes: [], to: &json) }
      }
    }
    json.close("]")
  }

  /// Appends an object of a name and a value as they were sent.
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
    // Each once, whatever was sent: the first counts here. `expires` has a form of its own in HAR; it is in the header.
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
