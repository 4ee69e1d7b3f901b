/// The trailer fields in the content of gRPC-Web: lines as HTTP/1 has them. Of them `grpc-status` is looked for while they pass;
/// nothing is kept.
struct GRPCTrailers {
  /// The status; nil while none was seen.
  private(set) var status: Int?

  private enum LinePart {
    case name
    case value
    /// In a line that is not of interest, or behind what was.
    case rest
  }

  private var place = LinePart.name
  /// Octets of the name that fit so far.
  private var matched = 0
  private var number = 0
  private var digits = 0

  private static let name = Array("grpc-status:".utf8)
  /// Digits of a status: five are what a field of HTTP/2 may have, too.
  private static let digitLimit = 5

  /// The next octet.
  mutating func take(_ octet: UInt8) {
    guard octet != ASCII.lineFeed else { return endLine() }
    switch place {
    case .name:
      guard octet.lowercased == Self.name[matched] else { return place = .rest }
      matched += 1
      if matched == Self.name.count { place = .value }
    case .value where octet.isDigit:
      digits += 1
      guard digits <= Self.digitLimit else { return place = .rest }
      number = number * 10 + Int(octet - 0x30)
    case .value where octet == ASCII.space && digits == 0 || octet == ASCII.carriageReturn: break
    case .value: (place, digits) = (.rest, 0)
    case .rest: break
    }
  }

  /// The frame ends, and the line with it.
  mutating func finish() { endLine() }

  private mutating func endLine() {
    if place == .value, (1...Self.digitLimit).contains(digits), status == nil { status = number }
    (place, matched, number, digits) = (.name, 0, 0, 0)
  }
}
