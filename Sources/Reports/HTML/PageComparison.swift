/// A section of the page that holds an app's own figures, or those of a model of one, against the wire.
///
/// Names are shown as text whatever is in them; of more rows than the page shows, those with the largest differences are
/// taken.
public struct PageComparison: Sendable {
  /// One thing that both sides have a figure for. Octets.
  public struct Row: Sendable {
    /// What it is: an API, a part of messages, a model.
    public var name: String
    /// What the app or the model says; nil for something that has a difference only, as a cause.
    public var app: Int?
    /// What the wire says; nil as `app`.
    public var wire: Int?
    /// App minus wire. Given, not computed: a model may have no figure for some messages, whose octets on the wire
    /// then are no error of it.
    public var difference: Int

    /// A row; the difference is `app - wire` unless it is said otherwise.
    public init(name: String, app: Int, wire: Int, difference: Int? = nil) {
      self.name = name
      self.app = app
      self.wire = wire
      self.difference = difference ?? app - wire
    }

    /// A row that has a difference only.
    public init(name: String, difference: Int) {
      self.name = name
      self.difference = difference
    }
  }

  /// The heading.
  public var title: String
  /// A sentence below it: what was compared.
  public var note: String
  /// The rows, in any order.
  public var rows: [Row]

  /// A section.
  public init(title: String, note: String = "", rows: [Row]) {
    self.title = title
    self.note = note
    self.rows = rows
  }
}
