/// A section of the page that holds an app's own figures, or those of a model of one, against the wire.
///
/// Names are shown as text whatever is in them; of more rows than the page shows, those with the largest differences are
/// taken.
public struct PageComparison: Sendable {
  /// One thing that both sides have a figure for. Octets.
  public struct Line: Sendable {
    /// What it is: an API, a part of messages, a model.
    public var name: String
    /// What the app or the model says; nil for something that has a difference only, as a cause.
    public var app: Int?
    /// What the wire says; nil as `app`.
    public var wire: Int?
    /// App minus wire. Given, not computed: a model may have no figure for some messages, whose octets on the wire
    /// then are no error of it.
    public var difference: Int
    /// The figures of `details`, in their order.
    public var details: [Int]

    /// A row; the difference is `app - wire` unless it is said otherwise.
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

  /// A figure that rows have beside the others.
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

  /// What the rows are.
  public struct Subject: Sendable {
    /// One of them, as "API".
    public var one: String
    /// Several.
    public var many: String

    /// A name in both numbers.
    public init(_ one: String, _ many: String) {
      self.one = one
      self.many = many
    }
  }

  /// The heading.
  public var title: String
  /// The heading in the page's navigation.
  public var shortTitle: String
  /// A sentence below it: what was compared.
  public var note: String
  /// What else is to be said of it, each in a line.
  public var facts: [String]
  /// Sentences about what makes the section incomplete.
  public var warnings: [String]
  /// What the rows are.
  public var subject: Subject
  /// What is compared with the wire: "app" or "model".
  public var teller: String
  /// The heading of its figures.
  public var figure: String
  /// What rows have beside the others.
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
    .list(sentences.map { .text(name.text(Array($0.utf8), length: PageLimits.sentenceLength, room: .max)) })
  }
}
