import HTTPReassembly

/// One way in which an app may have counted one figure of a message: a hypothesis.
///
/// On every message it says the figure that the app would have had, and why that differs from the wire's. The causes
/// always add up to the difference; what an app has beyond its reading is unexplained.
protocol Reading: Hashable, Sendable {
  /// The app's figure, in octets; nil when the reading does not apply to this message, or needs what is not known.
  func figure(of message: WireMessage) -> Int?
  /// Why it differs from the wire's figure; only where `figure` is not nil.
  func causes(of message: WireMessage) -> [Cause]
  /// How far-fetched: of readings that explain equally much, the one that costs least is taken.
  var cost: Int { get }
}

/// How a line ends in an app's eyes.
enum LineEnd: Int, CaseIterable, Hashable, Sendable {
  case crlf = 2
  case lineFeed = 1
  case none = 0
}
