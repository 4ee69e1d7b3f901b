import Packets
import Shared

/// The Huffman code of HPACK (RFC 7541 §5.2, Appendix B), read by a table of the next bits.
///
/// The code is canonical, so the lengths of its code words define it. A step takes one or two code words that begin the next bits. Longer
/// words are of octets that are rare in fields; they are found by their length. The work is linear in the coded octets.
enum HuffmanCode {
  /// The maximum length of a string with this number of coded octets. No code word has fewer than five bits.
  static func longestText(_ coded: Int) -> Int { coded * 8 / 5 }

  /// Decodes a string into `text` from `start` on, which must have enough room (`longestText`).
  ///
  /// Returns the end of the string; nil when the code is invalid. It must not contain the end-of-string code word. Its
  /// padding must be the start of that word, with at most seven bits.
  static func decode(_ coded: RawSpan, to text: inout [UInt8], at start: Int) -> Int? {
    let code = code
    let steps = code.steps.span
    // A write to a span only checks its length. An append to an array checks each time whether it is shared.
    var room = text.mutableSpan
    var end = start
    var next = 0
    // The bits that are read but not taken, the first one highest.
    var bits: UInt64 = 0
    var count = 0
    while true {
      // The bits of an octet that does not fit are read again.
      if next &+ 8 <= coded.byteCount {
        bits |= coded.bigEndian64(next) &>> UInt64(count)
        next &+= (63 &- count) / 8
        count |= 56
      } else {
        bits |= coded.littleEndian(from: next).byteSwapped &>> UInt64(count)
        let taken = min(coded.byteCount &- next, (63 &- count) / 8)
        next &+= taken
        count &+= 8 &* taken
        guard count >= stepLength else { break }
      }
      while count >= stepLength {
        let step = steps[Int(truncatingIfNeeded: bits &>> UInt64(64 - stepLength))]
        guard step.length > 0 else {
          guard count >= longestWord || next == coded.byteCount else { break }
          guard let (symbol, length) = code.longWord(bits), length <= count else { return nil }
          room[end] = symbol
          end += 1
          bits &<<= UInt64(length)
          count -= length
          continue
        }
        // Twelve bits are left, and so there is room for two octets.
        room[end] = step.first
        room[end + 1] = step.second
        end += step.length > step.firstLength ? 2 : 1
        bits &<<= UInt64(step.length)
        count -= Int(step.length)
      }
    }
    // Fewer bits than a step are left: code words, then padding of ones.
    while true {
      bits |= .max &>> UInt64(count)
      let step = steps[Int(truncatingIfNeeded: bits &>> UInt64(64 - stepLength))]
      let length = Int(step.length) <= count ? step.length : step.firstLength
      guard length > 0, length <= count else { return count < 8 && bits == .max ? end : nil }
      room[end] = step.first
      end += 1
      if length > step.firstLength {
        room[end] = step.second
        end += 1
      }
      bits &<<= UInt64(length)
      count -= Int(length)
    }
  }

  /// Bits of a step. The words of letters, digits and most marks have five or six, so that two of them fit.
  private static var stepLength: Int { 12 }
  /// Bits of the longest code word.
  private static var longestWord: Int { 30 }
  private static let endOfString = 256

  /// The code words at the start of some bits.
  private struct Step {
    var first: UInt8 = 0
    var second: UInt8 = 0
    /// The bits of the first code word, and of all words: the same for one word, and 0 without any.
    var firstLength: UInt8 = 0
    var length: UInt8 = 0
  }

  /// The tables made from the lengths of the code words.
  private struct Code {
    /// The steps by the next bits.
    var steps = Array(repeating: Step(), count: 1 << stepLength)
    /// The symbols of words that are longer than a step, in the order of their words.
    var symbols: [Int] = []
    /// For each length of these words: the end of its words as the highest bits of 64 bits, less one, and the place of the symbol of word 0.
    var ends: [(length: Int, last: UInt64, place: Int)] = []

    /// The symbol of the word that begins these bits, and the number of its bits; nil for the end of the string.
    func longWord(_ bits: UInt64) -> (symbol: UInt8, length: Int)? {
      for (length, last, place) in ends where bits <= last {
        let symbol = symbols[place + Int(truncatingIfNeeded: bits &>> UInt64(64 - length))]
        return symbol == endOfString ? nil : (UInt8(symbol), length)
      }
      return nil
    }
  }

  private static let code: Code = {
    var code = Code()
    var word = 0
    var length = 5
    // The words of a canonical code count up, by their length and then by their symbol.
    let lengths = HPACKTables.codeLengths
    for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
      word <<= Int(lengths[symbol]) - length
      length = Int(lengths[symbol])
      if length <= stepLength {
        let first = word << (stepLength - length)
        for bits in first..<first + 1 << (stepLength - length) {
          code.steps[bits].first = UInt8(symbol)
          code.steps[bits].firstLength = UInt8(length)
          code.steps[bits].length = UInt8(length)
        }
      } else {
        let last = UInt64(word + 1) << UInt64(64 - length) &- 1
        if code.ends.last?.length != length { code.ends.append((length, last, code.symbols.count - word)) }
        code.ends[code.ends.count - 1].last = last
        code.symbols.append(symbol)
      }
      word += 1
    }
    // The second word follows the first one, where it fits.
    for bits in code.steps.indices where code.steps[bits].length > 0 {
      let taken = Int(code.steps[bits].firstLength)
      let following = code.steps[bits << taken & (1 << stepLength - 1)]
      guard following.length > 0, taken + Int(following.firstLength) <= stepLength else { continue }
      code.steps[bits].second = following.first
      code.steps[bits].length = UInt8(taken) + following.firstLength
    }
    return code
  }()
}
