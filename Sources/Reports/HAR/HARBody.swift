import HTTPReassembly
import Tabular

/// The content of a message without its codings, or the reason why it is left out.
struct HARBody {
  private let octets: [UInt8]
  private let comment: String?

  /// Takes at most `room` octets of a message's content; nil without content.
  ///
  /// Content whose end was not seen, or that could not be decoded, is left out, because it may be wrong.
  init?(_ message: Message, _ said: HARMessageContent?, room: Int) {
    guard message.octets.body > 0 else { return nil }
    guard let length = said?.decodedLength, message.decodedBody == length, let said else {
      octets = []
      comment = "The text is left out: the content was not seen whole or could not be decoded."
      return
    }
    guard said.isBodyCut || said.body.count > room else {
      octets = said.body
      comment = nil
      return
    }
    octets = JSONText.withoutCutCharacter(Array(said.body.prefix(room)))
    comment =
      octets.isEmpty
      ? "The text is left out: there is too much content to keep."
      : "The text is the first \(octets.count) of \(length) bytes."
  }

  /// Octets of the text.
  var count: Int { octets.count }

  /// Appends `text`, and under `encodingKey` the encoding of octets that are not text.
  func append(encodingKey: String, isRequired: Bool, to json: inout JSONWriter) {
    if !octets.isEmpty || comment == nil || isRequired {
      json.key("text")
      if JSONText.isText(octets) {
        json.literal(octets)
      } else {
        json.plain(Base64.text(octets))
        json.key(encodingKey)
        json.name("base64")
      }
    }
    guard let comment else { return }
    json.key("_wireTextBytes")
    json.integer(octets.count)
    json.key("comment")
    json.name(comment)
  }
}

/// Base64 (RFC 4648 §4) with padding.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text of octets.
  static func text(_ octets: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((octets.count + 2) / 3 * 4)
    var index = 0
    while index < octets.count {
      let count = min(octets.count - index, 3)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(octets[index + offset]) : 0) }
      for position in 0..<4 {
        let digit = alphabet[Int(group >> UInt32(18 - position * 6) & 0x3f)]
        text.append(position <= count ? digit : UInt8(ascii: "="))
      }
      index += count
    }
    return text
  }
}
