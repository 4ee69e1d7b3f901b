import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// The chunked transfer coding, cut anywhere, against another decoder of it: as many octets of content, framing and
  /// trailer, and the same word on whether it is complete.
  ///
  /// Input: cuts, then the coded body.
  package static let chunked = FuzzTarget("chunked", longestInput: 512) { input in
    var input = InputOctets(input)
    let cutChoices = input.take(4)
    let body = input.rest()
    let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    let cuts = Set([0, head.count + body.count] + cutChoices.map { head.count + Int($0) % (body.count + 1) }).sorted()
    let reading = CutDialogue(client: request, server: head + body).reading(client: [0, request.count], server: cuts)
    if let fault = reading.analysis.violations.first { return fault }
    guard let response = reading.analysis.responses.first else { return "there is no response" }
    let expected = ChunkedWitness(body)
    let octets = response.octets
    guard
      octets.body == expected.content, octets.framing == expected.framing, octets.trailer == expected.trailer,
      (response.exactness == .exact) == expected.isComplete
    else {
      return "\(octets) \(response.exactness.name), but the witness says \(expected)"
    }
    return nil
  }
}

/// Counts the octets of a chunked body with nothing in common with the parser: it has the whole body at once (RFC 9112
/// §7.1).
private struct ChunkedWitness {
  var content = 0
  var framing = 0
  var trailer = 0
  var isComplete = false

  init(_ body: [UInt8]) {
    var rest = body[...]
    while true {
      guard let end = rest.firstIndex(of: 0x0a) else {
        framing += rest.count
        return
      }
      guard let size = Self.size(rest[..<end]) else { return }
      framing += end - rest.startIndex + 1
      rest = rest[(end + 1)...]
      if size == 0 { break }
      let taken = min(size, rest.count)
      content += taken
      rest = rest.dropFirst(taken)
      if rest.isEmpty { return }
      // CR LF, or a bare LF, after the chunk; a CR alone at the end counts as far as it goes.
      if rest.first == 0x0d {
        framing += 1
        rest = rest.dropFirst()
        if rest.isEmpty { return }
      }
      guard rest.first == 0x0a else { return }
      framing += 1
      rest = rest.dropFirst()
    }
    while true {
      guard let end = rest.firstIndex(of: 0x0a) else {
        trailer += rest.count
        return
      }
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      if line.isEmpty || line.elementsEqual([0x0d]) {
        framing += line.count + 1
        isComplete = true
        return
      }
      trailer += line.count + 1
    }
  }

  /// The size at the start of a line without LF; nil when there is none.
  private static func size(_ line: ArraySlice<UInt8>) -> Int? {
    var line = line
    if line.last == 0x0d { line = line.dropLast() }
    let digits = line.prefix { Character(UnicodeScalar($0)).isASCIIHexDigit }
    let after = line.dropFirst(digits.count).first { $0 != 0x20 && $0 != 0x09 }
    guard !digits.isEmpty, after == nil || after == 0x3b else { return nil }
    let significant = digits.drop { $0 == 0x30 }
    // More digits than an input can be long are as good as endless.
    guard significant.count < 12 else { return .max }
    return Int(String(decoding: significant, as: UTF8.self), radix: 16) ?? 0
  }
}

extension Character {
  fileprivate var isASCIIHexDigit: Bool { isASCII && isHexDigit }
}
