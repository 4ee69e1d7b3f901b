/// A named moment at which a step of a test begins. The step ends at the next mark.
public struct TimeMark: Sendable, Equatable {
  /// The most marks of a run: tests of a day have some thousand steps. Each takes 528 octets of the timeline.
  public static let limit = 10_000
  /// The most octets of a label: a line of text.
  public static let labelLimit = 256

  /// Nanoseconds since the Unix epoch.
  public var time: Int64
  /// The name of the step, as it was given: any octets, at most `labelLimit`.
  public var label: [UInt8]

  /// Makes a mark of a time in nanoseconds since the Unix epoch.
  public init(time: Int64, label: [UInt8]) {
    self.time = time
    self.label = label
  }
}
