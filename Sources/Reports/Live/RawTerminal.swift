// The system calls that the live view needs of its terminal, and the only file of it that hands memory to them. Each
// call is given a value of its own, or an array's storage, for the time of the call.

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

/// The controlling terminal while the live view has it: another screen, no cursor, and keys that come one by one and
/// are not shown. It gets back what it was by `restore()`, and at the latest when nothing refers to this any more.
///
/// Signals stay signals (Control and C interrupts). One thread at a time may read keys and draw; `restore()` may be
/// called from any thread.
public final class RawTerminal: Sendable {
  /// Another screen that leaves the first one as it is; no cursor; no wrapping, so that a character that is wider than
  /// it is thought to be spoils only its own line.
  private static let enterScreen: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[2J"
  private static let leaveScreen: StaticString = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  private let input: CInt
  private let output: CInt
  /// What the terminal was like.
  private let before: termios
  private let taken = Atomic(true)

  /// Whether it has not been given back.
  public var isTaken: Bool { taken.load(ordering: .relaxed) }

  /// Takes the terminal of standard input and output; nil when they are none, it takes no escape sequences, or this
  /// process is in its background: plain lines are for then.
  public convenience init?() {
    guard Terminal.standardOutput.takesEscapeSequences else { return nil }
    self.init(input: STDIN_FILENO, output: STDOUT_FILENO)
  }

  /// Takes the terminal of two descriptors, which stay open.
  init?(input: CInt, output: CInt) {
    var attributes = termios()
    guard isatty(output) == 1, unsafe tcgetattr(input, &attributes) == 0 else { return nil }
    // Changing it from the background would stop the process and the capture with it.
    let foreground = tcgetpgrp(input)
    guard foreground < 0 || foreground == getpgrp() else { return nil }
    self.input = input
    self.output = output
    before = attributes
    attributes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Control and S would stop the output, and what waits for it.
    attributes.c_iflag &= ~tcflag_t(IXON)
    Self.set(VMIN, to: 0, in: &attributes)
    Self.set(VTIME, to: 0, in: &attributes)
    // Control and Z would stop the capture with the screen taken.
    Self.set(VSUSP, to: Self.disabled, in: &attributes)
    guard unsafe tcsetattr(input, TCSAFLUSH, &attributes) == 0 else { return nil }
    Self.write(Self.enterScreen, to: output)
  }

  deinit { restore() }

  /// Gives the terminal back as it was; a second call does nothing.
  ///
  /// Does nothing but make system calls that a signal handler may make, for runs that end at once.
  public func restore() {
    guard taken.exchange(false, ordering: .relaxed) else { return }
    Self.write(Self.leaveScreen, to: output)
    var before = before
    // Not after the output has drained: a terminal that takes none any more would hold up the end.
    _ = unsafe tcsetattr(input, TCSANOW, &before)
  }

  /// The octets of the keys that were pressed, as soon as there are any; empty when there were none for so long. Nil
  /// when the terminal is gone.
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
    // Readable without anything to read is the end of it.
    return nil
  }

  /// Writes a frame.
  ///
  /// - Throws: when the terminal is gone.
  public func draw(_ frame: String) throws(ReportError) {
    guard isTaken else { return }
    do throws(Errno) {
      try OpenFile.standard(output).write(frame)
    } catch {
      throw ReportError(.write, "terminal", error)
    }
  }

  // MARK: System

  /// What switches a control character off. (`_POSIX_VDISABLE`, which differs between systems.)
  private static var disabled: cc_t {
    #if canImport(Darwin)
      0xff
    #else
      0
    #endif
  }

  private static func set(_ character: CInt, to value: cc_t, in attributes: inout termios) {
    // The array of C is a tuple to Swift, which cannot be indexed; its octets can, and the position is the system's.
    unsafe withUnsafeMutableBytes(of: &attributes.c_cc) { memory in
      unsafe memory[Int(character) * MemoryLayout<cc_t>.size] = value
    }
  }

  /// Writes text that needs no memory of its own, so that a signal handler may. Text this short is taken at once or
  /// not at all.
  private static func write(_ text: StaticString, to descriptor: CInt) {
    _ = unsafe posixWrite(descriptor, text.utf8Start, text.utf8CodeUnitCount)
  }
}

/// The system's `write`, which a method of the same name hides.
private func posixWrite(_ number: CInt, _ memory: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, memory, count)
}
