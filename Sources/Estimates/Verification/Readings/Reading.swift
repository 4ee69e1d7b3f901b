import HTTPReassembly

/// One way in which an app may have counted one figure of a message: a hypothesis.
///
/// For every message it gives the figure that the app would have had, and the causes of its difference from the wire's. The
/// causes always add up to the difference. A figure beyond the reading is unexplained.
///
/// A reading has assumptions of two kinds. The message itself bears out some of them: a dropped query needs a query, and explains
/// its length only. Others could be chosen to give any figure, such as unseen fields or line ends. They need many rows, and
/// `simpler` lists them.
protocol Reading: Hashable, Sendable {
  /// The app's figure, in octets; nil when the reading does not apply to this message, or needs an unknown fact.
  func figure(of message: WireMessage) -> Int?
  /// As `figure(of:)`, when the groups of the message's fields are known already.
  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int?
  /// The figures of several readings, a list for each, with one for each sample.
  static func figures(_ readings: [Self], _ samples: [ReadingSample]) -> [[Int?]]
  /// The wire's figure.
  static func wire(_ message: WireMessage) -> Int
  /// The causes of the difference from the wire's figure; only where `figure` is not nil.
  func causes(of message: WireMessage) -> [Cause]
  /// The improbability: of readings that explain equally much, the one with the least cost is taken.
  var cost: Int { get }
  /// Readings like this one without one of the assumptions that need many rows.
  var simpler: [Self] { get }
  /// Readings like this one with one more, or another, assumption that a message bears out by itself.
  var borneOut: [Self] { get }
  /// This reading with the other one's further assumptions, where that is possible.
  func joined(_ other: Self) -> Self?
  /// The number of assumptions that could be chosen to give any figure. They are unknowns and need as many equations.
  var assumptions: Int { get }
  /// The reading of the header section in it; nil when it has none.
  var fields: HeaderReading? { get }
  /// Whether one program can count some rows by this reading and others by `other`.
  func isOfOneProgram(with other: Self) -> Bool
  /// Whether it assumes no more than a form: all fields count.
  var isForm: Bool { get }
  /// Whether its causes are named also where other readings fit as well.
  var isSure: Bool { get }
  /// Names of the fields that the app does not see, in lower case.
  var unseen: [String] { get }
  /// This reading, leaving out a field, in place of another one or besides; nil where it counts no fields.
  func leavingOut(_ name: String, insteadOf other: String?) -> Self?
  /// Whether its form of fields has no name.
  var isUnnamed: Bool { get }
  /// The largest cost of a named reading beside which no form without a name is sought.
  static var simpleCost: Int { get }
  /// The cost by which a reading may be less likely than another one, and raise a doubt.
  static var rivalMargin: Int { get }
  /// Whether its figure is no coincidence where it fits: nothing was counted, or a tool's limit.
  var isEvident: Bool { get }
  /// A few readings that differ by many octets, for figures that are rounded.
  static func coarse(_ kind: MessageKind) -> [Self]
  /// The reading for an app without evidence: it counts as the wire does.
  static func plain(_ kind: MessageKind) -> Self
}

extension Reading {
  func figure(of message: WireMessage, _ groups: [FieldGroup]) -> Int? { figure(of: message) }
  static func figures(_ readings: [Self], _ samples: [ReadingSample]) -> [[Int?]] {
    readings.map { reading in samples.map { reading.figure(of: $0.message, $0.groups) } }
  }
  func joined(_ other: Self) -> Self? { nil }
  func isOfOneProgram(with other: Self) -> Bool { true }
  var assumptions: Int { 0 }
  var fields: HeaderReading? { nil }
  var isForm: Bool { true }
  var isSure: Bool { isForm }
  var unseen: [String] { [] }
  func leavingOut(_ name: String, insteadOf other: String?) -> Self? { nil }
  var isUnnamed: Bool { false }
  static var simpleCost: Int { .max }
  static var rivalMargin: Int { 0 }
}

/// The end of a line as an app counts it.
enum LineEnd: Int, CaseIterable, Hashable, Sendable {
  case crlf = 2
  case lineFeed = 1
  case none = 0

  /// The improbability.
  var cost: Int { 2 - rawValue }
}
