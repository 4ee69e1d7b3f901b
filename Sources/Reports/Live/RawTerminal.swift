// The live view's system calls for its terminal; only this file hands memory to them. Each call gets a value of its own, or an
// array's storage, for the time of the call.

import Synchronization
import SystemPackage
import Tabular

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The controlling terminal during the live view: another screen, no cursor, and keys that come one by one without an echo.
/// `restore()` gives it back as before, at the latest when the last reference to this object ends.
///
/// Signals stay signals (Control and C interrupts). One thread at a time may read keys and draw; any thread may call `restore()`.
public final class RawTerminal: Sendable {
  /// It opens another screen, and the first one stays as it is. It hides the cursor. It ends wrapping, so that a character that
  /// is wider than expected spoils only its own line. The mouse reports its buttons (xterm's SGR form).
  private static let enterScreen: StaticString =
    "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?1000h\u{1b}[?1006h\u{1b}[H\u{1b}[2J"
  private static let leaveScreen: StaticString = "\u{1b}[?1006l\u{1b}[?1000l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private let input: CInt
  private let output: CInt
  /// The terminal's former attributes.
  private let before: termios
  private let taken = Atomic(true)

  /// Whether it is not given back yet.
  public var isTaken: Bool { taken.load(ordering: .relaxed) }

  /// Takes the terminal of standard input and output. Nil when they are not terminals, when it takes no escape sequences, or when
  /// this process is in its background. Plain lines are for these cases.
  public convenience init?() {
    guard Terminal.standardOutput.takesEscapeSequences else { return nil }
    self.init(input: STDIN_FILENO, output: STDOUT_FILENO)
  }

  /// Takes the terminal of two descriptors, which stay open.
  init?(input: CInt, output: CInt) {
    var attributes = termios()
    guard isatty(output) == 1, unsafe tcgetattr(input, &attributes) == 0 else { return nil }
    // A change from the background would stop the process and the capture with it.
    let foreground = tcgetpgrp(input)
    guard foreground < 0 || foreground == getpgrp() else { return nil }
    self.input = input
    self.output = output
    before = attributes
    attributes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Control and S would stop the output, and the threads that wait for it.
    attributes.c_iflag &= ~tcflag_t(IXON)
    Self.set(VMIN, to: 0, in: &attributes)
    Self.set(VTIME, to: 0, in: &attributes)
    // Control and Z would stop the capture while it has the screen.
    Self.set(VSUSP, to: Self.disabled, in: &attributes)
    guard unsafe tcsetattr(input, TCSAFLUSH, &attributes) == 0 else { return nil }
    Self.write(Self.enterScreen, to: output)
  }

  deinit { restore() }

  /// Gives the terminal back as it was; a second call has no effect.
  ///
  /// It makes only system calls that a signal handler may make, for runs that end at once.
  public func restore() {
    guard taken.exchange(false, ordering: .relaxed) else { return }
    Self.write(Self.leaveScreen, to: output)
    var before = before
    // This does not wait for the output: a terminal that takes no more output would delay the end.
    _ = unsafe tcsetattr(input, TCSANOW, &before)
  }

  /// The octets of pressed keys, as soon as there are any; empty when none came in time. Nil when the terminal is gone.
  public func keys(waiting time: Duration = .zero) -> [UInt8]? {
    let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    // A signal ends the wait early, which looks like no key.
    guard unsafe poll(&wanted, 1, CInt(clamping: milliseconds)) > 0 else { return [] }
    var octets = [UInt8](repeating: 0, count: 256)
    let count = unsafe octets.withUnsafeMutableBytes { memory in
      unsafe read(input, memory.baseAddress, memory.count)
    }
    if count > 0 { return Array(octets.prefix(count)) }
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    // A readable terminal without anything to read is at its end.
    return nil
  }

  /// Writes a frame.
  ///
  /// - Throws: When the terminal is gone.
  public func draw(_ frame: String) throws(ReportError) {
    guard isTaken else { return }
    do throws(Errno) {
      try OpenFile.standard(output).write(frame)
    } catch {
      throw ReportError(.write, "terminal", error)
    }
  }

  // MARK: System

  /// The value that switches a control character off. (`_POSIX_VDISABLE`, which differs between systems.)
  private static var disabled: cc_t {
    #if canImport(Darwin)
      0xff
    #else
      0
    #endif
  }

  private static func set(_ character: CInt, to value: cc_t, in attributes: inout termios) {
    // C's array is a tuple in Swift, which cannot be indexed. Its octets can be, and the system defines the position.
    unsafe withUnsafeMutableBytes(of: &attributes.c_cc) { memory in
      unsafe memory[Int(character) * MemoryLayout<cc_t>.size] = value
    }
  }

  /// Writes text that needs no memory of its own, so that a signal handler may call it. Text this short is taken at once or not
  /// at all.
  private static func write(_ text: StaticString, to descriptor: CInt) {
    _ = unsafe posixWrite(descriptor, text.utf8Start, text.utf8CodeUnitCount)
  }
}

/// The system's `write`, which a method of the same name hides.
private func posixWrite(_ number: CInt, _ memory: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, memory, count)
}
