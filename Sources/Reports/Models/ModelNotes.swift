import Estimates

/// What the sums of models do not have, in sentences: for the terminal and for the page.
enum ModelNotes {
  /// The sentences; none when the sums have everything.
  static func lines(_ errors: ModelErrors) -> [String] {
    var lines: [String] = []
    let unknown = zip(errors.models, zip(errors.requests, errors.responses)).map { name, overall in
      (name: name.rawValue, messages: overall.0.sums.unknown + overall.1.sums.unknown)
    }.filter { $0.messages > 0 }
    if !unknown.isEmpty {
      let names = unknown.map { "\($0.name) \(Summary.grouped($0.messages))" }
      lines.append("messages that a model can say nothing of: " + names.joined(separator: ", "))
    }
    if errors.messagesBeyondLimit > 0 {
      lines.append(
        "messages counted under their host alone, as there are too many APIs: "
          + Summary.grouped(errors.messagesBeyondLimit))
    }
    return lines
  }
}
