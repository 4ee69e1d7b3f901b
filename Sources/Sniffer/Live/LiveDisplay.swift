import Capture
import HTTPReassembly
import Reports

/// The display of a live run: a view on a terminal, or else a line for each interval on standard error.
final class LiveDisplay {
  private let terminal: RawTerminal?
  private var view: LiveView
  private var lines: PlainLines
  private var size: (width: Int, height: Int) = (0, 0)
  /// Errors while the view had the screen.
  private var held: [String] = []

  /// Takes over the terminal, if standard input and output are one.
  init(options: CommonOptions, interfaces: [String], isWanted: Bool) {
    terminal = isWanted ? RawTerminal() : nil
    view = LiveView(interfaces: interfaces, redaction: options.redaction)
    lines = PlainLines(redaction: options.redaction)
  }

  /// Whether there is a view to update each second.
  var isView: Bool { terminal != nil }

  /// Shows the current facts; with a selection, of the selected exchanges.
  func update(_ snapshot: LiveSnapshot, _ selection: SelectedExchanges?, _ recent: RecentExchanges?) {
    guard terminal != nil else { return }
    view.update(
      selection?.select(in: snapshot.totals).totals ?? snapshot.totals, at: snapshot.elapsed,
      connections: snapshot.connections, behind: snapshot.behind,
      recent: recent)
    draw()
  }

  /// Takes the pressed keys. Returns whether one of them asks to stop, or the terminal is gone.
  func takeKeys() -> Bool {
    guard let terminal else { return false }
    guard let keys = terminal.keys() else { return true }
    if view.key(keys, height: size.height) == .quit { return true }
    let current = Terminal.standardOutput
    if !keys.isEmpty || current.width ?? 80 != size.width || current.height ?? 24 != size.height { draw() }
    return false
  }

  /// The line for an interval, without a line break; nil with a view.
  func line(_ snapshot: LiveSnapshot) -> String? {
    guard terminal == nil else { return nil }
    var line = lines.line(
      snapshot.totals, at: snapshot.elapsed, connections: snapshot.connections, behind: snapshot.behind)
    if line.hasSuffix("\n") { line.removeLast() }
    return line
  }

  /// Prints an error on standard error. While the view has the screen, it shows the error, which is printed afterwards.
  func say(_ text: String) {
    guard let terminal, terminal.isTaken else { return ErrorOutput.write(text) }
    // An interface that often comes and goes must not fill the memory.
    if held.count < Self.heldLimit { held.append(text) }
    view.notice = text
    draw()
  }

  /// Prints a useful fact during the run: on standard error, or in the view.
  func tell(_ text: String) {
    guard let terminal, terminal.isTaken else { return ErrorOutput.write(text) }
    view.notice = text
    draw()
  }

  private static let heldLimit = 100

  /// Gives the terminal back as it was.
  func end() {
    terminal?.restore()
    for text in held { ErrorOutput.write(text) }
    held = []
  }

  /// Gives the terminal back, from any thread.
  var emergencyEnd: @Sendable () -> Void { { [terminal] in terminal?.restore() } }

  private func draw() {
    let current = Terminal.standardOutput
    size = (current.width ?? 80, current.height ?? 24)
    // A terminal that cannot be written to is gone; reading its keys shows that.
    try? terminal?.draw(view.frame(width: size.width, height: size.height, colour: current.takesColour))
  }
}
