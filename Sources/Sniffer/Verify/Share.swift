import ArgumentParser

/// A share as people write it: `2%` or `0.02`.
struct Share: ExpressibleByArgument {
  /// From 0 on; 1 is the whole.
  var value: Double
  /// As it was given.
  var text: String

  init?(argument: String) {
    let number = argument.hasSuffix("%") ? Double(argument.dropLast()).map { $0 / 100 } : Double(argument)
    guard let number, number >= 0, number.isFinite else { return nil }
    value = number
    text = argument
  }
}
