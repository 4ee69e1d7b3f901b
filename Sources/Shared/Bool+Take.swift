extension Bool {
  /// Sets the value to false. Returns the old value.
  package mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
