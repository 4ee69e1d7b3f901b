import Tabular

/// The progress of long work, on one line of standard error that is redrawn, and only on a terminal.
///
/// ```
/// [##########----------]  50%  1.2 GB of 2.4 GB  812 MB/s  2 s left
/// ```
///
/// An update reads the clock, so call it once per buffer, not once per packet.
public struct ProgressBar<Timekeeper: Clock> where Timekeeper.Duration == Duration {
  /// Redrawn at most ten times a second: faster than people read.
  private static var interval: Duration { .milliseconds(100) }

  private let clock: Timekeeper
  private let started: Timekeeper.Instant
  private let terminal: Terminal
  private let write: (String) -> Void
  private var drawn: Timekeeper.Instant?

  /// Starts the time.
  ///
  /// - Parameters:
  ///   - clock: The clock for the rate and the time left.
  ///   - terminal: The terminal to draw on. Without one, or without escape sequences, nothing is drawn.
  ///   - write: Writes the drawn text.
  public init(
    clock: Timekeeper, terminal: Terminal = .standardError, write: @escaping (String) -> Void = Self.standardError
  ) {
    self.clock = clock
    self.terminal = terminal
    self.write = write
    started = clock.now
  }

  /// Draws if it is time.
  ///
  /// - Parameters:
  ///   - bytes: Octets done so far.
  ///   - total: Octets to do; nil if unknown.
  public mutating func update(bytes: Int, of total: Int?) {
    guard terminal.takesEscapeSequences else { return }
    let now = clock.now
    if let drawn, drawn.duration(to: now) < Self.interval { return }
    // Short work needs no bar that flashes up.
    guard started.duration(to: now) >= Self.interval else { return }
    drawn = now
    let line = ProgressLine(bytes: bytes, total: total, elapsed: started.duration(to: now))
    // The last column stays free, because some terminals wrap when it is written to.
    write("\r" + line.text(width: (terminal.width ?? 80) - 1) + "\u{1b}[K")
  }

  /// Clears the line; call it at the end, and before any other output to the terminal.
  public mutating func clear() {
    guard drawn != nil else { return }
    drawn = nil
    write("\r\u{1b}[K")
  }

  /// Writes to standard error; errors are ignored.
  public static func standardError(_ text: String) {
    try? OpenFile.standard(2).write(text)
  }
}

/// The text of a progress bar.
package struct ProgressLine {
  /// Octets done so far.
  package var bytes: Int
  /// Octets to do; nil if unknown.
  package var total: Int?
  /// Time since the start.
  package var elapsed: Duration

  /// The line, in at most `width` columns.
  package func text(width: Int) -> String {
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(bytes) / seconds : 0
    var parts: [String] = []
    var share: Double?
    if let total, total > 0 {
      let part = min(Double(bytes) / Double(total), 1)
      share = part
      let percent = String(Int(part * 100))
      parts.append(String(repeating: " ", count: 3 - percent.count) + percent + "%")
      parts.append("\(ByteCount.text(Double(bytes))) of \(ByteCount.text(Double(total)))")
    } else {
      parts.append(ByteCount.text(Double(bytes)))
    }
    parts.append(ByteCount.text(rate) + "/s")
    if let total, rate > 0 {
      parts.append(Self.duration(Double(max(total - bytes, 0)) / rate) + " left")
    }
    // Parts that do not fit are left out from the end; the bar takes a part of the remaining room.
    while parts.count > 1, parts.joined(separator: "  ").count > width { parts.removeLast() }
    let text = parts.joined(separator: "  ")
    let room = min(width - text.count - 4, 40)
    guard let share, room >= 10 else { return String(text.prefix(max(width, 0))) }
    let filled = Int(share * Double(room))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled) + "]  " + text
  }

  private static func duration(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days" }
    let whole = Int(seconds.rounded(.up))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole / 60 % 60) min"
  }
}
