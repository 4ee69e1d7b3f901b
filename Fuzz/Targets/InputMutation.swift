import TestSupport

/// Makes inputs of seeds, the same ones each time: for where libFuzzer, which looks at what an input reaches, is too much to
/// build.
package struct InputMutation {
  private let seeds: [[UInt8]]
  private let longest: Int
  private var random: SeededRandom

  /// Octets that have a meaning in one format or another.
  private static let words: [[UInt8]] =
    [
      [0], [0xff], [0x7f], [0x80], [0xff, 0xff], [0xff, 0xff, 0xff, 0xff], [0x80, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0],
      [13, 10], [13, 10, 13, 10], [10], [0xef, 0xbb, 0xbf], [0xc0, 0x0c],
    ]
    + [
      " ", ",", ":", ";", "\"", "{", "}", "[", "]", "-1", "1e999", "9223372036854775808", "null", "\\ud800",
      "GET / HTTP/1.1",
      "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 5", "0", "ffffffffffffffff", "chunked", "://",
    ].map { Array($0.utf8) }

  /// Makes inputs for `target` of `seeds`, which may be none, by a number.
  package init(_ target: FuzzTarget, seeds: [[UInt8]], seed: UInt64) {
    self.seeds = seeds.isEmpty ? [[]] : seeds
    longest = target.longestInput
    random = SeededRandom(seed: seed)
  }

  /// The next input: a seed with one to eight changes, or two seeds in one.
  package mutating func next() -> [UInt8] {
    var input = seeds[random.number(0..<seeds.count)]
    for _ in 0...random.number(0..<8) { change(&input) }
    return Array(input.prefix(longest))
  }

  private mutating func change(_ input: inout [UInt8]) {
    let place = random.number(0..<input.count + 1)
    let end = min(place + random.number(1..<33), input.count)
    switch random.number(0..<8) {
    case 0 where place < input.count: input[place] = UInt8(random.number(0..<256))
    case 1 where place < input.count: input[place] ^= 1 << UInt8(random.number(0..<8))
    case 2 where place < input.count:
      input[place] = input[place] &+ UInt8(truncatingIfNeeded: random.number(0..<71) - 35)
    case 3: input.removeSubrange(place..<end)
    case 4: input.insert(contentsOf: input[place..<end], at: place)
    case 5: input.replaceSubrange(place..<end, with: Self.words[random.number(0..<Self.words.count)])
    case 6: input.insert(contentsOf: Self.words[random.number(0..<Self.words.count)], at: place)
    default:
      let other = seeds[random.number(0..<seeds.count)]
      input = input[..<place] + other.suffix(random.number(0..<other.count + 1))
    }
  }
}
