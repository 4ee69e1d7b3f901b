/// A set of facts that reports call by names: one bit for each fact.
public protocol NamedBits: OptionSet where RawValue: FixedWidthInteger {
  /// Names in reports, by bit.
  static var names: [String] { get }
}

extension NamedBits {
  /// The names of the facts of the set, from the lowest bit on.
  public var labels: [String] {
    Self.names.indices.filter { rawValue >> RawValue($0) & 1 == 1 }.map { Self.names[$0] }
  }
}
