import TableReading

/// Checks that two reports are about the same things. Differences in how they were made would look like differences of the app.
enum ReportLikeness {
  /// Checks two reports.
  ///
  /// - Throws: An error that names the unlike facts.
  static func check(_ base: ReportedAPIs, _ new: ReportedAPIs) throws(ReadingError) {
    let isSameGrouping = base.grouping == new.grouping
    if !isSameGrouping, !base.isOfAnyGrouping, !new.isOfAnyGrouping {
      throw ReadingError(
        "\(base.name) is grouped by \(base.grouping) and \(new.name) by \(new.grouping); "
          + "analyze both with the same --group-by, \(remedy)")
    }
    if let mine = base.isRedacted, let other = new.isRedacted, mine != other {
      throw ReadingError(
        "\((mine ? base : new).name) has hashed paths and \((mine ? new : base).name) has not; "
          + "analyze both with --redact or both without, \(remedy)")
    }
    guard let mine = base.choices, let other = new.choices else { return }
    // A report with hashed names has no filter expression.
    let isFilterKnown = base.isRedacted != true
    let figures = [
      ("template", mine.template, other.template),
      ("filter", isFilterKnown ? mine.filter : "", isFilterKnown ? other.filter : ""),
      ("options", mine.options, other.options),
    ]
    let different = figures.filter { $0.1 != $0.2 }.map { name, mine, other in
      "\(name) (\(mine.isEmpty ? "none" : mine) and \(other.isEmpty ? "none" : other))"
    }
    guard !different.isEmpty else { return }
    throw ReadingError(
      "\(base.name) and \(new.name) were not made alike: \(different.joined(separator: ", ")) differ; "
        + "analyze both with the same options, \(remedy)")
  }

  private static let remedy = "or compare them all the same with --allow-unlike"
}
