import HTTPReassembly
import Tabular

/// The screen of a live capture: the APIs by bytes or rate, the state of the capture, and the keys.
///
/// A value that knows nothing of a terminal: it takes figures and keys, and returns the content of the screen. Equal input gives
/// an equal screen.
///
/// ```
/// while view.key(terminal.keys(waiting: .milliseconds(100)) ?? [], height: height) == .continue {
///   if aSecondHasPassed { view.update(pipeline.snapshot, at: elapsed, connections: pipeline.connectionCount) }
///   try terminal.draw(view.frame(width: width, height: height, colour: true))
/// }
/// ```
public struct LiveView: Sendable {
  /// A key's request to the run.
  public enum Action: Sendable, Equatable {
    /// Continue.
    case `continue`
    /// End the capture.
    case quit
  }

  /// The largest number of characters of a filter; more would not fit on the screen.
  private static let filterLimit = 100

  /// The latest fault, shown until the end of the view; empty without one.
  public var notice = ""
  /// The interfaces that are captured on.
  let interfaceNames: [String]
  /// The latest figures.
  private(set) var readings: LiveReadings
  /// The shown APIs, which are older than `readings` while the display is paused.
  private(set) var apis: [LiveAPI] = []
  /// The positions in `apis` that pass the filter, in order.
  private(set) var arranged: [Int] = []
  /// The order of the APIs.
  private(set) var order = LiveOrder.bytes
  /// Text that shown names contain.
  private(set) var filter = ""
  /// Whether typed characters go into the filter.
  private(set) var isEnteringFilter = false
  /// Whether the APIs stay as they are.
  private(set) var isPaused = false
  /// The number of rows above the first shown one.
  private(set) var scrolled = 0
  /// The chosen row; nil without one.
  private(set) var chosen: APIKey?
  /// The APIs that each row joins.
  private(set) var joining = LiveJoining.none
  /// The API that is open in place of the table.
  private(set) var opened: APIKey?
  /// Whether the keys are shown in place of everything else.
  private(set) var showsKeys = false
  /// The latest exchanges; nil when none are kept.
  private(set) var recent: RecentExchanges?
  private var parser = LiveKeyParser()
  /// Lines of the screen above the heading of the table.
  private var statusLineCount = 0

  /// An empty view.
  ///
  /// - Parameters:
  ///   - interfaces: The names of the interfaces that are captured on.
  ///   - redaction: Leaves out personal facts.
  public init(interfaces: [String] = [], redaction: Redaction? = nil) {
    interfaceNames = interfaces
    readings = LiveReadings(redaction: redaction)
  }

  /// Shows the figures until now. Rates are since the last call, or since the start.
  ///
  /// - Parameters:
  ///   - totals: A snapshot of the analysis.
  ///   - elapsed: Nanoseconds since the start of the capture, by a clock that does not go backwards.
  ///   - connections: Followed connections.
  ///   - behind: Nanoseconds since the capture of the packets that are being analyzed.
  ///   - recent: The latest exchanges, for the screen of one API.
  public mutating func update(
    _ totals: Totals, at elapsed: Int64, connections: Int, behind: Int64 = 0, recent: RecentExchanges? = nil
  ) {
    if !isPaused { self.recent = recent }
    readings.update(totals, at: elapsed, connections: connections, behind: behind)
    if let recent { readings.add(recent.open) }
    if !isPaused { show() }
  }

  /// Handles the terminal's octets, in any pieces. An empty piece says that nothing came for a while. It tells the escape key
  /// from the start of a sequence, so pass empty pieces too.
  ///
  /// - Parameters:
  ///   - octets: The octets of the keys.
  ///   - height: The lines of the terminal, which limit scrolling.
  /// - Returns: The request to the run; after `quit`, later keys are ignored.
  public mutating func key(_ octets: [UInt8], height: Int = 24) -> Action {
    let layout = LiveLayout(height: height)
    let page = layout.rows
    statusLineCount = layout.status
    for key in parser.keys(octets) where press(key, page: page) == .quit { return .quit }
    return .continue
  }

  // MARK: Keys

  private mutating func press(_ key: LiveKey, page: Int) -> Action {
    if key == .interrupt { return .quit }
    if isEnteringFilter, enter(key) { return .continue }
    switch key {
    case .character("q"): return .quit
    case .character("p"), .character(" "):
      isPaused.toggle()
      if !isPaused { show() }
    case .character("?"): showsKeys.toggle()
    case .escape: goBack()
    case .enter:
      if showsKeys { showsKeys = false } else if opened == nil { opened = (chosenAPI ?? first(page))?.key }
    case .click where showsKeys || opened != nil: goBack()
    case _ where showsKeys || opened != nil: break
    case .character("/"): isEnteringFilter = true
    case .character("h"):
      join(.hosts)
    case .character("t"): join(.templates)
    case .click(let line): click(line, page: page)
    case .up, .character("k"): choose(-1, page: page)
    case .down, .character("j"): choose(1, page: page)
    case .pageUp: choose(-max(page, 1), page: page)
    case .pageDown: choose(max(page, 1), page: page)
    case .home: choose(-arranged.count, page: page)
    case .end: choose(arranged.count, page: page)
    case .character(let character):
      guard let order = LiveOrder(key: character) else { break }
      self.order = order
      scrolled = 0
      arrange()
    case .backspace, .clear, .interrupt: break
    }
    return .continue
  }

  /// Joins APIs, or shows each again.
  private mutating func join(_ wanted: LiveJoining) {
    joining = joining == wanted ? .none : wanted
    (chosen, scrolled) = (nil, 0)
    show()
  }

  /// Chooses the row on a line of the screen, from 1; a click on the chosen one opens it.
  private mutating func click(_ line: Int, page: Int) {
    // The state and the heading are above the rows.
    let row = line - 1 - statusLineCount - 1
    let position = max(min(scrolled, lastStart(page)), 0) + row
    guard 0..<page ~= row, arranged.indices.contains(position) else { return }
    let key = apis[arranged[position]].key
    if key == chosen { opened = key } else { chosen = key }
  }

  /// Closes the screen that was opened last.
  private mutating func goBack() {
    if showsKeys {
      showsKeys = false
    } else if opened != nil {
      opened = nil
    } else if !filter.isEmpty {
      setFilter("")
    } else {
      chosen = nil
    }
  }

  /// The chosen API; nil when none is chosen, or it is gone.
  private var chosenAPI: LiveAPI? { chosen.flatMap { key in apis.first { $0.key == key } } }

  /// The first API on the screen.
  private func first(_ page: Int) -> LiveAPI? {
    let row = max(min(scrolled, lastStart(page)), 0)
    return arranged.indices.contains(row) ? apis[arranged[row]] : nil
  }

  /// Chooses a row `rows` further down, and scrolls it into view. Without a chosen row, the first one on the screen is chosen.
  private mutating func choose(_ rows: Int, page: Int) {
    guard !arranged.isEmpty else { return }
    let start = max(min(scrolled, lastStart(page)), 0)
    let current = chosen.flatMap { key in arranged.firstIndex { apis[$0].key == key } }
    let wanted = current.map { $0 + rows } ?? (abs(rows) == 1 ? start : start + rows)
    let row = max(min(wanted, arranged.count - 1), 0)
    chosen = apis[arranged[row]].key
    scrolled = max(min(start, row), row - max(page, 1) + 1)
  }

  /// Whether the key was for the filter.
  private mutating func enter(_ key: LiveKey) -> Bool {
    switch key {
    case .character(let character):
      if filter.unicodeScalars.count < Self.filterLimit {
        setFilter(filter + String(String.UnicodeScalarView([character])))
      }
    case .backspace: setFilter(String(String.UnicodeScalarView(filter.unicodeScalars.dropLast())))
    case .clear: setFilter("")
    case .enter: isEnteringFilter = false
    case .escape:
      isEnteringFilter = false
      setFilter("")
    default: return false
    }
    return true
  }

  private mutating func setFilter(_ text: String) {
    guard filter != text else { return }
    filter = text
    scrolled = 0
    arrange()
  }

  private func lastStart(_ page: Int) -> Int { max(arranged.count - page, 0) }

  // MARK: Display

  private mutating func show() {
    apis = readings.joined(joining)
    arrange()
  }

  private mutating func arrange() { arranged = order.arranged(apis, filter: filter) }
}
