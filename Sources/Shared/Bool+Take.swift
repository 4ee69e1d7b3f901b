extension Bool {
  /// Whether it was true; it is false from now on.
  package mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
