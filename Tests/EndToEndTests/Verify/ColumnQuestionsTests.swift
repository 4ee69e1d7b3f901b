import Foundation
import TestSupport
import Testing

/// `sniffer verify` at a terminal, with a log whose columns it does not know.
@Suite struct ColumnQuestionsTests {
  private static let python = Environment.tool("python3")

  /// Runs a program on a terminal of its own, types the lines, and shows what the program showed.
  private static let typist = """
    import os, pty, sys
    answers = sys.argv[1]
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.argv[2], sys.argv[2:])
    os.write(terminal, answers.encode())
    while True:
        try:
            octets = os.read(terminal, 65536)
        except OSError:
            break
        if not octets:
            break
        sys.stdout.buffer.write(octets)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    """

  @Test(.enabled(if: python != nil, "needs python3 for a terminal"), .timeLimit(.minutes(10)))
  func whatIsAnsweredIsUsedAndWrittenDown() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    let report = scratch.url.appendingPathComponent("report")
    try #require(try Sniffer.run([capture.path, "-q", "-o", report.path]).status == 0)
    // The same log with names that nobody knows, one of which a terminal would act on.
    var text = AppLogFile(try Report(folder: report).messages).text
    let header = "host,path,type,occur_time,length,line_length,header_length,body_length\n"
    try #require(text.hasPrefix(header))
    text = "Server\u{9b}31m,Place,type,When,all,first,fields,content\n" + text.dropFirst(header.count)
    let log = try scratch.file("app.csv", Array(text.utf8)).path
    let map = scratch.path("columns.txt")
    let command = [Sniffer.url.path, "verify", capture.path, "--log", log, "--map-file", map, "--no-progress"]

    // Without a terminal it is the error that it was.
    let unattended = try Sniffer.run(["verify", capture.path, "--log", log])
    #expect(unattended.status == 1 && unattended.error.contains("no column host, path, occur_time; there are: "))
    let noFile = try Sniffer.run(Array(command.dropFirst()))
    #expect(noFile.status == 1 && noFile.error.contains("columns.txt: there is no such file"))

    let answers = ["m", "1", "Place", "When", "", "", "5", "first", "fields", "8"].map { $0 + "\n" }.joined()
    let typed = try Command.run(try #require(Self.python), ["-c", Self.typist, answers] + command)
    #expect(typed.status == 0, "\(typed.output)\(typed.error)")
    #expect(typed.output.contains("body_length (bytes of its body): ") && typed.output.contains("unexplained 0 bytes"))
    #expect(!typed.output.unicodeScalars.contains("\u{9b}") && typed.output.contains("Server\\xc2\\x9b31m"))
    let written = try String(contentsOfFile: map, encoding: .utf8)
    #expect(
      written.hasSuffix(
        "path = Place\noccur_time = When\nlength = all\nline_length = first\nheader_length = fields\nbody_length = content\n"
      ))

    // The next time nobody is asked, terminal or not.
    let again = try Sniffer.run(Array(command.dropFirst()))
    #expect(again.status == 0 && again.output.contains("unexplained 0 bytes"), "\(again.error)")
  }
}
