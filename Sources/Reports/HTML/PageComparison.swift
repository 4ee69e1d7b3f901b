/// A section of the page that compares an app's own figures, or a model's, with the wire.
///
/// Names are shown as text, whatever their content. If there are more rows than the page shows, those with the largest
/// differences are shown.
public struct PageComparison: Sendable {
  /// One item with a figure of both sides. Octets.
  public struct Line: Sendable {
    /// Its name: an API, a part of messages, or a model.
    public var name: String
    /// The figure of the app or the model; nil for an item with a difference only, as a cause.
    public var app: Int?
    /// The figure of the wire; nil as `app`.
    public var wire: Int?
    /// App minus wire. It is given, not computed: a model may lack figures for some messages, whose octets are then no error of
    /// it.
    public var difference: Int
    /// The figures of `details`, in their order.
    public var details: [Int]

    /// A row; the difference is `app - wire` by default.
    public init(name: String, app: Int, wire: Int, difference: Int? = nil, details: [Int] = []) {
      self.name = name
      self.app = app
      self.wire = wire
      self.difference = difference ?? app - wire
      self.details = details
    }

    /// A row that has a difference only.
    public init(name: String, difference: Int, details: [Int] = []) {
      self.name = name
      self.difference = difference
      self.details = details
    }
  }

  /// A further figure of rows.
  public struct Detail: Sendable {
    /// The heading of its column.
    public var name: String
    /// Whether it is shown with its sign.
    public var isDifference: Bool

    /// A figure.
    public init(_ name: String, isDifference: Bool = false) {
      self.name = name
      self.isDifference = isDifference
    }
  }

  /// The subject of the rows.
  public struct Subject: Sendable {
    /// The singular, as "API".
    public var one: String
    /// The plural.
    public var many: String

    /// A name in singular and plural.
    public init(_ one: String, _ many: String) {
      self.one = one
      self.many = many
    }
  }

  /// The heading.
  public var title: String
  /// The heading in the page's navigation.
  public var shortTitle: String
  /// A sentence below it about the comparison.
  public var note: String
  /// Further facts, each in a line.
  public var facts: [String]
  /// Sentences about missing parts of the section.
  public var warnings: [String]
  /// The subject of the rows.
  public var subject: Subject
  /// The side that is compared with the wire: "app" or "model".
  public var teller: String
  /// The heading of that side's figures.
  public var figure: String
  /// The further figures of rows.
  public var details: [Detail]
  /// Whether the rows stay in their order; else those with the largest differences come first.
  public var isOrdered: Bool
  /// The rows.
  public var rows: [Line]

  /// A section.
  public init(
    title: String, shortTitle: String? = nil, note: String = "", facts: [String] = [], warnings: [String] = [],
    subject: Subject = Subject("row", "rows"), teller: String = "app", figure: String = "app",
    details: [Detail] = [], isOrdered: Bool = false, rows: [Line]
  ) {
    self.title = title
    self.shortTitle = shortTitle ?? title
    self.note = note
    self.facts = facts
    self.warnings = warnings
    self.subject = subject
    self.teller = teller
    self.figure = figure
    self.details = details
    self.isOrdered = isOrdered
    self.rows = rows
  }
}

extension PageData {
  /// A section that compares an app's figures with the wire's.
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

  /// The sentences are ours, except for names of fields in them.
  private func sentences(_ sentences: [String]) -> PageValue {
    .list(sentences.map { .text(name.text(Array($0.utf8), length: PageLimits.sentenceLength, room: .max)) })
  }
}
