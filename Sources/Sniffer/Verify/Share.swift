import ArgumentParser

/// A share in people's spelling: `2%` or `0.02`.
struct Share: ExpressibleByArgument {
  /// The share, at least 0; 1 is the whole.
  var value: Double
  /// The text as given.
  var text: String

  init?(argument: String) {
    let number = argument.hasSuffix("%") ? Double(argument.dropLast()).map { $0 / 100 } : Double(argument)
    guard let number, number >= 0, number.isFinite else { return nil }
    value = number
    text = argument
  }
}
