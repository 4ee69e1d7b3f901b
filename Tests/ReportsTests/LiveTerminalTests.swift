import Testing

@testable import Reports
@testable import Tabular

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The live view's terminal on a pseudo-terminal of the test's own.
@Suite struct LiveTerminalTests {
  /// The two ends: what a terminal emulator has, and what a program has.
  private func openTerminal() throws -> (emulator: CInt, program: CInt) {
    var (emulator, program): (CInt, CInt) = (-1, -1)
    // The ends are written to the variables; name, attributes and size are left to the system.
    try #require(unsafe openpty(&emulator, &program, nil, nil, nil) == 0)
    return (emulator, program)
  }

  private func localFlags(_ descriptor: CInt) -> tcflag_t {
    var attributes = termios()
    return unsafe tcgetattr(descriptor, &attributes) == 0 ? attributes.c_lflag : 0
  }

  private func type(_ text: String, _ descriptor: CInt) {
    let octets = Array(text.utf8)
    _ = unsafe octets.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }

  private func output(_ descriptor: CInt) -> String {
    var octets = [UInt8](repeating: 0, count: 4096)
    let count = unsafe octets.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    return String(decoding: octets.prefix(max(count, 0)), as: UTF8.self)
  }

  @Test func itGetsBackWhatItWas() throws {
    let (emulator, program) = try openTerminal()
    defer { for end in [emulator, program] { _ = close(end) } }
    let before = localFlags(program)
    let terminal = try #require(RawTerminal(input: program, output: program))
    #expect(localFlags(program) & tcflag_t(ECHO | ICANON) == 0)
    #expect(localFlags(program) & tcflag_t(ISIG) != 0)
    #expect(output(emulator).hasPrefix("\u{1b}[?1049h\u{1b}[?25l"))
    #expect(terminal.keys() == [])
    type("q\u{1b}[A", emulator)
    #expect(terminal.keys(waiting: .seconds(600)) == Array("q\u{1b}[A".utf8))
    try terminal.draw("frame")
    #expect(output(emulator) == "frame")
    terminal.restore()
    terminal.restore()
    #expect(localFlags(program) == before)
    #expect(output(emulator) == "\u{1b}[?1006l\u{1b}[?1000l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    // Nothing is drawn over what it was.
    try terminal.draw("late")
    type("x", emulator)
    #expect(output(emulator) == "x")
  }

  @Test func itGetsBackWhatItWasWhenForgotten() throws {
    let (emulator, program) = try openTerminal()
    defer { for end in [emulator, program] { _ = close(end) } }
    let before = localFlags(program)
    do { _ = try #require(RawTerminal(input: program, output: program)) }
    #expect(localFlags(program) == before)
  }

  @Test func itIsGone() throws {
    let (emulator, program) = try openTerminal()
    defer { _ = close(program) }
    let terminal = try #require(RawTerminal(input: program, output: program))
    _ = close(emulator)
    #expect(terminal.keys(waiting: .seconds(600)) == nil)
    #expect(throws: ReportError.self) { try terminal.draw("frame") }
    terminal.restore()
  }

  @Test func whatIsNoTerminalIsNotTaken() throws {
    let null = unsafe open("/dev/null", O_RDWR)
    defer { _ = close(null) }
    #expect(RawTerminal(input: null, output: null) == nil)
  }
}
