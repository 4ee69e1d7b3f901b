import HTTPReassembly

/// How much may come out of the codings of one message.
struct DecodingBudget {
  /// Coded octets that are paid for at once. Content is decoded in pieces that end at multiples of it, so that what is beyond
  /// the budget does not depend on how the content was cut into packets.
  static let pieceLength = 1 << 10

  /// Octets that may come out of any one coding: a small content may hide a large one inside another large one.
  let octets: Int
  /// Octets that may come out of all codings together, for each coded octet.
  let ratio: Int

  /// The budget that a configuration gives to each message.
  init(_ configuration: Configuration) {
    self.init(octets: configuration.decodedContentLimit, ratio: configuration.decodedRatioLimit)
  }

  /// A budget of `octets`, and of `ratio` octets for each coded one.
  init(octets: Int, ratio: Int) {
    self.octets = octets
    self.ratio = ratio
  }

  /// Octets that may have come out of all codings together when so many coded ones have been taken.
  func total(after coded: Int) -> Int {
    let pieces = (coded + Self.pieceLength - 1) / Self.pieceLength
    let (total, overflow) = (pieces * Self.pieceLength).multipliedReportingOverflow(by: ratio)
    return overflow ? .max : total
  }

  /// Where the piece ends that begins at `start` of octets that have `length`, after so many coded ones have been taken.
  func pieceEnd(from start: Int, length: Int, after coded: Int) -> Int {
    min(length, start + Self.pieceLength - coded % Self.pieceLength)
  }
}
