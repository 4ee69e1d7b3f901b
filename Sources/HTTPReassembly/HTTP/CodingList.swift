/// The codings of a message's content, by the values of its fields. The codings of the last message are remembered: most messages have the
/// same.
struct CodingList {
  private var content = 0
  private var transfer = 0
  private var latest: [String] = []

  /// The names in lower case and in the order of application: codings of the representation first, then transfer codings without `chunked`.
  mutating func names(content: TextID, transfer: TextID, _ texts: borrowing TextPool) -> [String] {
    let (contentSerial, transferSerial) = (texts.serial(content), texts.serial(transfer))
    if contentSerial != self.content || transferSerial != self.transfer {
      self.content = contentSerial
      self.transfer = transferSerial
      latest = Self.names(texts.octets(content)) + Self.names(texts.octets(transfer)).filter { $0 != "chunked" }
    }
    return latest
  }

  /// The names in a comma-separated list of codings, in lower case, without parameters and without `identity`.
  static func names(_ value: [UInt8]) -> [String] {
    value.split(separator: ASCII.comma).compactMap { element in
      let name = element.prefix { $0 != ASCII.semicolon }.filter { !$0.isWhitespace }.map(\.lowercased)
      let text = String(decoding: name, as: UTF8.self)
      return text.isEmpty || text == "identity" ? nil : text
    }
  }
}
