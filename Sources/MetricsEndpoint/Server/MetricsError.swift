/// The reason why metrics cannot be served: one line for a person.
public struct MetricsError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The line.
  public let description: String

  package init(_ description: String) { self.description = description }
}
