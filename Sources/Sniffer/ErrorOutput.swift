import Reports

/// What goes wrong, one line each, on standard error.
enum ErrorOutput {
  static func write(_ text: String) {
    ProgressBar<ContinuousClock>.standardError("sniffer: \(text)\n")
  }
}
