/// The head of a request (RFC 9112 §3, §5). It is read as strictly as it is defined, so that no other reading is possible. Anything else is
/// refused.
struct RequestHead {
  /// The refusal of a request.
  struct Refusal: Error, Equatable {
    /// The status code of the answer.
    let status: Int
  }

  /// The most octets of a head. A browser sends the cookies of an address to all its ports, so a head can be long.
  static let lengthLimit = 16 << 10

  let method: String
  /// The request-target: visible ASCII characters.
  let target: String
  /// Whether the version is HTTP/1.1; else it is HTTP/1.0.
  let isVersion11: Bool
  /// Octets of content that follow.
  let contentLength: Int
  /// Whether content follows in chunks (RFC 9112 §7.1). Chunks are not read, so the request is the last one of its connection.
  let hasChunks: Bool
  /// Field names in lower case, and values.
  private let fields: [(name: String, value: String)]

  /// Reads the lines of a head, each with its CRLF, without the empty line.
  init(_ lines: some Sequence<UInt8>) throws(Refusal) {
    let malformed = Refusal(status: 400)
    var contents: [ArraySlice<UInt8>] = []
    for line in Array(lines).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
      guard line.last == UInt8(ascii: "\r") else { throw malformed }
      contents.append(line.dropLast())
    }
    let words = contents.first?.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) ?? []
    guard words.count == 3, Self.isToken(words[0]), !words[1].isEmpty, words[1].allSatisfy({ 0x21...0x7e ~= $0 }),
      words[2] == Array("HTTP/1.1".utf8)[...] || words[2] == Array("HTTP/1.0".utf8)[...]
    else { throw malformed }
    method = Self.text(words[0])
    target = Self.text(words[1])
    isVersion11 = words[2].last == UInt8(ascii: "1")

    var fields: [(name: String, value: String)] = []
    for line in contents.dropFirst() {
      // Neither a folded line nor space before the colon leaves a token for the name.
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]) else { throw malformed }
      let value = line[(colon + 1)...]
      guard value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7f }) else { throw malformed }
      fields.append((Self.text(line[..<colon]).lowercased(), Self.text(Self.trimmed(value))))
    }
    self.fields = fields
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    // RFC 9112 §3.2: at most one Host field; in HTTP/1.1 exactly one.
    let hosts = values("host").count
    guard hosts == 1 || hosts == 0 && !isVersion11 else { throw malformed }
    // RFC 9112 §6: one length, or chunks.
    let (codings, lengths) = (values("transfer-encoding"), values("content-length"))
    hasChunks = !codings.isEmpty
    if hasChunks {
      guard isVersion11, lengths.isEmpty, codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw malformed
      }
    }
    guard lengths.count <= 1, let length = Self.number(lengths.first ?? "0") else { throw malformed }
    contentLength = length
  }

  /// The values of all fields with a name in lower case.
  subscript(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// Whether the connection persists after the answer (RFC 9112 §9.3).
  var keepsConnection: Bool {
    let options = self["connection"].joined(separator: ",").lowercased().split { ", \t".contains($0) }
    return !hasChunks && !options.contains("close") && (isVersion11 || options.contains("keep-alive"))
  }

  // MARK: Grammar

  /// The range of a head's lines at the start of a client's octets, and the end of the head; nil while it is not whole. `searched` is the number
  /// of octets that earlier calls have searched.
  static func bounds(in octets: [UInt8], searched: inout Int) -> (lines: Range<Int>, end: Int)? {
    // RFC 9112 §2.2: empty lines before a request mean nothing.
    var start = 0
    while start + 1 < octets.count, octets[start] == 0x0d, octets[start + 1] == 0x0a { start += 2 }
    var index = max(start, searched)
    searched = octets.count
    while index < octets.count {
      defer { index += 1 }
      guard octets[index] == 0x0a else { continue }
      // A line that ends without CR makes the head invalid, and ends it.
      guard index > start, octets[index - 1] == 0x0d else { return (start..<index + 1, index + 1) }
      if index >= start + 3, octets[index - 2] == 0x0a { return (start..<index - 1, index + 1) }
    }
    return nil
  }

  /// Whether octets are a token (RFC 9110 §5.6.2).
  private static func isToken(_ octets: ArraySlice<UInt8>) -> Bool {
    !octets.isEmpty
      && octets.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
      }
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var value = value
    while value.first == 0x20 || value.first == 0x09 { value = value.dropFirst() }
    while value.last == 0x20 || value.last == 0x09 { value = value.dropLast() }
    return value
  }

  /// Reads digits of a number below 10^18.
  private static func number(_ text: String) -> Int? {
    text.utf8.count <= 18 && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
  }

  private static func text(_ octets: ArraySlice<UInt8>) -> String { String(decoding: octets, as: UTF8.self) }
}
