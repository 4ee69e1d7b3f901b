extension PageData {
  /// A section that holds an app's figures against the wire's.
  func value(_ comparison: PageComparison) -> PageValue {
    .object([
      ("title", .text(comparison.title)), ("short_title", .text(comparison.shortTitle)),
      ("note", .text(comparison.note)), ("facts", sentences(comparison.facts)),
      ("warnings", sentences(comparison.warnings)),
      ("subject", .list([.text(comparison.subject.one), .text(comparison.subject.many)])),
      ("teller", .text(comparison.teller)), ("figure", .text(comparison.figure)),
      ("details", .list(comparison.details.map { .list([.text($0.name), .flag($0.isDifference)]) })),
      ("table", table(comparison).value),
    ])
  }

  private func table(_ comparison: PageComparison) -> PageTable {
    let sorted = comparison.rows.enumerated().sorted { a, b in
      let (mine, other) = (a.element.difference.magnitude, b.element.difference.magnitude)
      return comparison.isOrdered || mine == other ? a.offset < b.offset : mine > other
    }
    return PageTable(
      ["name", "app", "wire", "difference"] + comparison.details.map(\.name),
      sorted.prefix(PageLimits.rows).map { _, row in
        [.text(name.text(Array(row.name.utf8))), .optional(row.app), .optional(row.wire), .integer(row.difference)]
          + row.details.map { .integer($0) }
      }, total: comparison.rows.count)
  }

  /// Sentences are ours, but for names of fields in them.
  private func sentences(_ sentences: [String]) -> PageValue {
    .list(sentences.map { .text(name.text(Array($0.utf8), length: PageLimits.sentenceLength)) })
  }
}
