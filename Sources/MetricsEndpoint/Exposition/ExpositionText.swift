/// The pieces of the Prometheus text exposition format 0.0.4.
enum ExpositionText {
  /// A valid metric name, `[a-zA-Z_:][a-zA-Z0-9_:]*`: every other character becomes `_`.
  static func metricName(_ text: String) -> String { name(text, allowsColon: true) }

  /// A valid label name, `[a-zA-Z_][a-zA-Z0-9_]*`. Names that start with `__` belong to Prometheus itself.
  static func labelName(_ text: String) -> String {
    let name = name(text, allowsColon: false)
    return name.hasPrefix("__") ? "label" + name : name
  }

  /// `{a="1",b="2"}` in the order of the names, so that the same labels in any order are the same series; empty without labels.
  /// The first of two labels of one name stays: a repeated name makes the whole page invalid.
  static func labels(_ dimensions: [(String, String)]) -> String {
    guard !dimensions.isEmpty else { return "" }
    var values: [String: String] = [:]
    for (name, value) in dimensions {
      let name = labelName(name)
      if values[name] == nil { values[name] = value }
    }
    let pairs = values.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(labelValue($0.value))\"" }
    return "{" + pairs.joined(separator: ",") + "}"
  }

  /// A label's value between its quotes.
  static func labelValue(_ text: String) -> String { escaped(text, quotes: true) }

  /// The text of a HELP line, where quotes mean nothing.
  static func help(_ text: String) -> String { escaped(text, quotes: false) }

  /// A sample's value.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }

  private static func name(_ text: String, allowsColon: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "_": result.unicodeScalars.append(scalar)
      case ":" where allowsColon: result.unicodeScalars.append(scalar)
      case "0"..."9":
        if result.isEmpty { result = "_" }
        result.unicodeScalars.append(scalar)
      default: result += "_"
      }
    }
    return result.isEmpty ? "_" : result
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
