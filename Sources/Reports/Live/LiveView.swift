import HTTPReassembly
import Tabular

/// The screen of a capture that goes on: the APIs by bytes or rate, how the capture is doing, and the keys.
///
/// A value that knows nothing of a terminal: it is told what was counted and what was pressed, and says what the
/// screen shows. The same of those gives the same screen.
///
/// ```
/// while view.key(terminal.keys(waiting: .milliseconds(100)) ?? [], height: height) == .continue {
///   if aSecondHasPassed { view.update(pipeline.snapshot, at: elapsed, connections: pipeline.connectionCount) }
///   try terminal.draw(view.frame(width: width, height: height, colour: true))
/// }
/// ```
public struct LiveView: Sendable {
  /// What a key asks the run to do.
  public enum Action: Sendable, Equatable {
    /// Go on.
    case `continue`
    /// End the capture.
    case quit
  }

  /// Characters that a filter may have; more would not fit beside it.
  private static let filterLimit = 100

  /// What went wrong last, shown as long as the view is; empty if nothing has.
  public var notice = ""
  /// The interfaces that are captured on.
  let interfaceNames: [String]
  /// What was seen last.
  private(set) var readings: LiveReadings
  /// The APIs that are shown, which are older than `readings` while the display is paused.
  private(set) var apis: [LiveAPI] = []
  /// The positions in `apis` that pass the filter, in order.
  private(set) var arranged: [Int] = []
  /// What they are sorted by.
  private(set) var order = LiveOrder.bytes
  /// What a name has to contain.
  private(set) var filter = ""
  /// Whether typed characters go into the filter.
  private(set) var isEnteringFilter = false
  /// Whether the APIs stay as they are.
  private(set) var isPaused = false
  /// Rows that are above the first one shown.
  private(set) var scrolled = 0
  private var parser = LiveKeyParser()

  /// Shows nothing yet.
  ///
  /// - Parameters:
  ///   - interfaces: The names of the interfaces that are captured on.
  ///   - redaction: Leaves out what may be personal.
  public init(interfaces: [String] = [], redaction: Redaction? = nil) {
    interfaceNames = interfaces
    readings = LiveReadings(redaction: redaction)
  }

  /// Shows what has been counted until now; rates are those since the last call, or since the start.
  ///
  /// - Parameters:
  ///   - totals: A snapshot of the analysis.
  ///   - elapsed: Nanoseconds since the start of the capture, by a clock that does not go backwards.
  ///   - connections: Connections that are being followed.
  ///   - behind: Nanoseconds since the packets were captured that are analysed now.
  public mutating func update(_ totals: Totals, at elapsed: Int64, connections: Int, behind: Int64 = 0) {
    readings.update(totals, at: elapsed, connections: connections, behind: behind)
    if !isPaused { show() }
  }

  /// Handles what the terminal sent, in pieces as they come. An empty piece says that nothing came for a while, which
  /// tells the escape key from the start of a sequence; so pass those too.
  ///
  /// - Parameters:
  ///   - octets: The octets of the keys.
  ///   - height: The lines of the terminal, for how far there is to scroll.
  /// - Returns: What is to be done; after `quit`, keys that follow are not looked at.
  public mutating func key(_ octets: [UInt8], height: Int = 24) -> Action {
    let page = LiveLayout(height: height).rows
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
    case .character("/"): isEnteringFilter = true
    case .escape: setFilter("")
    case .up, .character("k"): scroll(to: min(scrolled, lastStart(page)) - 1, page: page)
    case .down, .character("j"): scroll(to: scrolled + 1, page: page)
    case .pageUp: scroll(to: min(scrolled, lastStart(page)) - page, page: page)
    case .pageDown: scroll(to: scrolled + page, page: page)
    case .home: scroll(to: 0, page: page)
    case .end: scroll(to: lastStart(page), page: page)
    case .character(let character):
      guard let order = LiveOrder(key: character) else { break }
      self.order = order
      scrolled = 0
      arrange()
    case .enter, .backspace, .clear, .interrupt: break
    }
    return .continue
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

  private mutating func scroll(to row: Int, page: Int) { scrolled = max(min(row, lastStart(page)), 0) }

  private func lastStart(_ page: Int) -> Int { max(arranged.count - page, 0) }

  // MARK: What is shown

  private mutating func show() {
    apis = readings.apis
    arrange()
  }

  private mutating func arrange() { arranged = order.arranged(apis, filter: filter) }
}
