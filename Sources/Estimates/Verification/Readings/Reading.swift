import HTTPReassembly

/// One way in which an app may have counted one figure of a message: a hypothesis.
///
/// On every message it says the figure that the app would have had, and why that differs from the wire's. The causes
/// always add up to the difference; what an app has beyond its reading is unexplained.
///
/// What a reading takes for granted is of two kinds. Some of it the message itself bears out: that a query was dropped can only be
/// where there is one, and by its length. The rest (which fields are not seen, how lines end) could be chosen so that any figure
/// comes out; it needs many rows, and `simpler` lists it.
protocol Reading: Hashable, Sendable {
  /// The app's figure, in octets; nil when the reading does not apply to this message, or needs what is not known.
  func figure(of message: WireMessage) -> Int?
  /// As `figure(of:)`, where the groups of its fields are known already.
  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int?
  /// Why it differs from the wire's figure; only where `figure` is not nil.
  func causes(of message: WireMessage) -> [Cause]
  /// How far-fetched: of readings that explain equally much, the one that costs least is taken.
  var cost: Int { get }
  /// This reading with one of the assumptions less that need many rows.
  var simpler: [Self] { get }
  /// This reading with one assumption more, or another one, that a message bears out by itself.
  var borneOut: [Self] { get }
  /// This reading and what another one assumes beyond it, where that is possible.
  func joined(_ other: Self) -> Self?
  /// How many of its assumptions could be chosen so that any figure comes out: as many unknowns as need equations.
  var assumptions: Int { get }
  /// Whether one program can count some rows by this reading and others by `other`.
  func isOfOneProgram(with other: Self) -> Bool
  /// What is taken of an app of which nothing is known: it counts as the wire does.
  static func plain(_ kind: MessageKind) -> Self
}

extension Reading {
  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int? { figure(of: message) }
  func joined(_ other: Self) -> Self? { nil }
  func isOfOneProgram(with other: Self) -> Bool { true }
  var assumptions: Int { 0 }
}

/// How a line ends in an app's eyes.
enum LineEnd: Int, CaseIterable, Hashable, Sendable {
  case crlf = 2
  case lineFeed = 1
  case none = 0
}
