import Shared

/// The Huffman code of HPACK (RFC 7541 §5.2, Appendix B), read four bits at a time.
///
/// The code is canonical, so the lengths of its code words define it. Each inner node of its tree is a state. Each state
/// has one step for each four bits. No code word has fewer than five bits, so a step ends at most one of them. The work is
/// linear in the coded octets.
enum HuffmanCode {
  /// The maximum length of a string with this number of coded octets. No code word has fewer than five bits.
  static func longestText(_ coded: Int) -> Int { coded * 8 / 5 }

  /// Decodes the octets in `range` into `text` from `start` on, which must have enough room (`longestText`).
  ///
  /// Returns the end of the string; nil when the code is invalid. It must not contain the end-of-string code word. Its
  /// padding must be the start of that word, with at most seven bits.
  static func decode(_ octets: RawSpan, _ range: Range<Int>, to text: inout [UInt8], at start: Int) -> Int? {
    let code = code
    var state = 0
    var end = start
    // A write to a span only checks its length. An append to an array checks each time whether it is shared.
    var room = text.mutableSpan
    let steps = code.steps.span
    for offset in range {
      let octet = Int(octets.octet(offset))
      let high = steps[state << 4 | octet >> 4]
      if high & Self.hasSymbol != 0 {
        room[end] = UInt8(truncatingIfNeeded: high >> 8)
        end += 1
      }
      let low = steps[Int(high & 0xff) << 4 | octet & 15]
      if low & Self.hasSymbol != 0 {
        room[end] = UInt8(truncatingIfNeeded: low >> 8)
        end += 1
      }
      if (high | low) & Self.isError != 0 { return nil }
      state = Int(low & 0xff)
    }
    return code.mayEnd[state] ? end : nil
  }

  // A step: the next state in its lowest octet, the symbol of a code word above, and whether there is one.
  private static let hasSymbol: UInt32 = 1 << 16
  private static let isError: UInt32 = 1 << 17

  /// The tables made from the lengths of the code words.
  private struct Code {
    /// The steps for each state and each four bits.
    var steps: [UInt32]
    /// The states in which a string may end: all bits since the last code word are ones, and at most seven.
    var mayEnd: [Bool]
  }

  private static let code: Code = {
    /// The two nodes below each inner node: a state, or the complement of a symbol.
    var nodes: [[Int?]] = [[nil, nil]]
    var word = 0
    var length = 5
    // The words of a canonical code count up, by their length and then by their symbol.
    let lengths = HPACKTables.codeLengths
    for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
      word <<= Int(lengths[symbol]) - length
      length = Int(lengths[symbol])
      var node = 0
      for bit in (0..<length).reversed() {
        let branch = word >> bit & 1
        if bit == 0 {
          nodes[node][branch] = ~symbol
        } else if let next = nodes[node][branch] {
          node = next
        } else {
          nodes.append([nil, nil])
          nodes[node][branch] = nodes.count - 1
          node = nodes.count - 1
        }
      }
      word += 1
    }
    var code = Code(steps: [], mayEnd: Array(repeating: false, count: nodes.count))
    for state in nodes.indices {
      for bits in 0..<16 { code.steps.append(step(from: state, bits, nodes)) }
    }
    var node = 0
    for _ in 0...7 {
      code.mayEnd[node] = true
      if let next = nodes[node][1], next > 0 { node = next }
    }
    return code
  }()

  private static func step(from state: Int, _ bits: Int, _ nodes: [[Int?]]) -> UInt32 {
    var node = state
    var result: UInt32 = 0
    for bit in (0..<4).reversed() {
      guard let next = nodes[node][bits >> bit & 1] else { return isError }
      if next >= 0 {
        node = next
      } else if ~next == endOfString {
        return isError
      } else {
        result = hasSymbol | UInt32(~next) << 8
        node = 0
      }
    }
    return result | UInt32(node)
  }

  private static let endOfString = 256
}
