import HTTPReassembly

/// The limits of one message's decoded output.
struct DecodingBudget {
  /// Coded octets whose output is allowed in advance. Content is decoded in pieces that end at multiples of it, so the limit does not
  /// depend on how packets cut the content.
  static let pieceLength = 1 << 10

  /// Octets that any one coding may produce: a small content may hide a large one inside another large one.
  let octets: Int
  /// Octets that all codings together may produce for each coded octet.
  let ratio: Int

  /// The budget of each message in a configuration.
  init(_ configuration: Configuration) {
    self.init(octets: configuration.decodedContentLimit, ratio: configuration.decodedRatioLimit)
  }

  /// Creates a budget of `octets`, and of `ratio` octets for each coded octet.
  init(octets: Int, ratio: Int) {
    self.octets = octets
    self.ratio = ratio
  }

  /// Octets that all codings together may have produced after so many coded octets.
  func total(after coded: Int) -> Int {
    let pieces = (coded + Self.pieceLength - 1) / Self.pieceLength
    let (total, overflow) = (pieces * Self.pieceLength).multipliedReportingOverflow(by: ratio)
    return overflow ? .max : total
  }

  /// The end of the piece that begins at `start` of `length` octets, after so many coded octets before.
  func pieceEnd(from start: Int, length: Int, after coded: Int) -> Int {
    min(length, start + Self.pieceLength - coded % Self.pieceLength)
  }
}
