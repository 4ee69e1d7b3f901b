import Tabular

/// The table of APIs: columns of numbers that keep their places between frames, and the name in the remaining room. `TextTable`
/// fits its columns to the rows, so they would move.
struct LiveTable {
  /// A column of numbers.
  private struct Column {
    var title: String
    /// Its least width.
    var width: Int
    /// Columns with a lower number are left out first.
    var importance: Int
    /// The orders whose figure it shows.
    var orders: [LiveOrder]
    var cell: (LiveAPI) -> String
  }

  private static let gap = 2
  /// The width from which octets are shown as whole numbers; narrower tables show units.
  private static let exactWidth = 120

  private let width: Int
  private let order: LiveOrder
  private let title: String
  private let columns: [Column]
  private let nameWidth: Int

  /// Fits `apis` into `width` columns.
  init(width: Int, order: LiveOrder, title: String, apis: some Sequence<LiveAPI>) {
    self.width = width
    self.order = order
    self.title = title
    let isExact = width >= Self.exactWidth
    func octets(_ value: Int) -> String { isExact ? Numerals.grouped(value) : ByteCount.text(Double(value)) }
    func rate(_ value: Double) -> String { value > 0 ? ByteCount.text(value) : "0" }
    let octetsWidth = isExact ? 13 : 7
    var columns = [
      Column(title: "requests", width: 8, importance: 4, orders: [.requests]) { Numerals.grouped($0.requests) },
      Column(title: "errors", width: 6, importance: 5, orders: [.errors]) { Numerals.grouped($0.errors) },
      Column(title: "p95", width: 7, importance: 3, orders: [.wait]) { LiveDetail.wait($0.p95) },
      Column(title: "up", width: octetsWidth, importance: 1, orders: [.up]) { octets($0.up) },
      Column(title: "down", width: octetsWidth, importance: 2, orders: [.down]) { octets($0.down) },
      Column(title: "total", width: octetsWidth, importance: 7, orders: [.bytes]) { octets($0.total) },
      Column(title: "up/s", width: 7, importance: 0, orders: [.rate]) { rate($0.upRate) },
      Column(title: "down/s", width: 7, importance: 6, orders: [.rate]) { rate($0.downRate) },
    ]
    for index in columns.indices where columns[index].orders.contains(order) {
      columns[index].title += "▼"
      // The column that rows are sorted by is left out last.
      columns[index].importance += 10
    }
    for index in columns.indices {
      columns[index].width = max(columns[index].width, DisplayWidth.of(columns[index].title))
      for api in apis { columns[index].width = max(columns[index].width, DisplayWidth.of(columns[index].cell(api))) }
    }
    // A shorter name tells little; but on a narrow screen numbers would have no room at all.
    let leastName = min(max(width * 3 / 10, 8), 40)
    func room() -> Int { columns.reduce(width) { $0 - $1.width - Self.gap } }
    while room() < leastName,
      let least = columns.indices.min(by: { columns[$0].importance < columns[$1].importance })
    {
      columns.remove(at: least)
    }
    nameWidth = max(room(), 0)
    self.columns = columns
  }

  /// The titles.
  var header: String { line(name: order == .name ? title + "▼" : title, columns.map(\.title)) }

  /// The row of an API.
  func row(_ api: LiveAPI) -> String { line(name: api.name, columns.map { $0.cell(api) }) }

  private func line(name: String, _ cells: [String]) -> String {
    let gap = String(repeating: " ", count: Self.gap)
    let name = name.shortened(to: nameWidth).padded(to: nameWidth, right: false)
    return ([name] + zip(columns, cells).map { $1.padded(to: $0.width, right: true) }).joined(separator: gap)
  }
}
