/// The frames of one direction of a WebSocket over time: counts in steps of equal length from its first frame on.
///
/// The steps grow with the WebSocket, so that it takes the same memory however long it lasts.
public struct FrameDensity: Sendable {
  /// The number of steps.
  public static let steps = 24
  /// The first step's length: 2²⁰ nanoseconds are about a millisecond.
  private static let shortest: UInt8 = 20

  /// The frames of each step. A step does not count further than 65,535.
  private var counts = InlineArray<24, UInt16>(repeating: 0)
  /// A step lasts two to the power of this, in nanoseconds.
  private var power = Self.shortest

  /// No frames.
  public init() {}

  /// The length of a step in nanoseconds.
  public var width: Int64 { 1 << Int64(power) }

  /// The frames of the steps, up to the last step that has any.
  public var frames: [Int] {
    let all = (0..<Self.steps).map { Int(counts[$0]) }
    return Array(all.prefix(1 + (all.lastIndex { $0 > 0 } ?? -1)))
  }

  /// Adds a frame, at nanoseconds since the first one. A frame that was captured out of order may come before it.
  mutating func add(at time: Int64) {
    let time = max(0, time)
    while time >> Int64(power) >= Self.steps { widen() }
    let step = Int(time >> Int64(power))
    if counts[step] < .max { counts[step] += 1 }
  }

  /// Makes each two steps one.
  private mutating func widen() {
    for step in 0..<Self.steps {
      let (first, second) = (2 * step, 2 * step + 1)
      guard second < Self.steps else {
        counts[step] = 0
        continue
      }
      counts[step] = UInt16(clamping: Int(counts[first]) + Int(counts[second]))
    }
    power += 1
  }
}

extension FrameDensity: Equatable {
  /// Whether both have the same frames in the same steps.
  public static func == (a: FrameDensity, b: FrameDensity) -> Bool { a.power == b.power && a.frames == b.frames }
}

extension FrameDensity {
  /// The numbers that a text keeps: the length of a step as a power of two, and the counts, four in a number.
  var numbers: [Int] {
    [Int(power)]
      + stride(from: 0, to: Self.steps, by: 4).map { first in
        (0..<4).reduce(0) { $0 | Int(counts[first + $1]) << (16 * $1) }
      }
  }

  /// How many numbers there are.
  static let numberCount = 1 + steps / 4

  /// Reads such numbers; nil if the length of a step is none.
  init?(_ number: (Int) -> Int) {
    guard let power = UInt8(exactly: number(0)), (Self.shortest..<63).contains(power) else { return nil }
    self.power = power
    for step in 0..<Self.steps {
      counts[step] = UInt16(truncatingIfNeeded: number(1 + step / 4) >> (16 * (step % 4)))
    }
  }
}
