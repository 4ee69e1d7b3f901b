#if os(Linux)
  import Foundation
  import Testing

  /// Files that the parent has open are none of a run's.
  @Suite struct InheritedDescriptorTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func areClosed() throws {
      let secret = try scratch.file("secret", [1, 2, 3]).path
      // A pipe to which nobody writes: the run waits, confined, until it is told to end.
      let pipe = scratch.path("pipe")
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      let writer = unsafe open(pipe, O_RDWR)
      try #require(writer >= 0)
      defer { close(writer) }
      let run = try RunningCommand(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", "exec 9<>\"$1\" 8<\"$1\"; exec \"$0\" \"$2\"", Sniffer.url.path, secret, pipe])
      let folder = "/proc/\(run.identifier)"
      let isConfined = eventually {
        !run.isRunning
          || (try? String(contentsOfFile: folder + "/status", encoding: .utf8))?.contains("Seccomp:\t2") == true
      }
      try #require(isConfined && run.isRunning, "\(run.error)")
      let paths = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").map {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/fd/" + $0)) ?? ""
      }
      #expect(paths.count > 2 && !paths.contains(secret), "\(paths)")
      run.signal(SIGKILL)
      _ = try run.wait()
    }

    /// A shell hands over the output of another program as a descriptor.
    @Test(arguments: ["-", "--keys=", "--keys "]) func thoseThatArgumentsNameAreKept(_ form: String) throws {
      let (capture, keys) = try (Corpus.capture("tls-nginx").url.path, Document.root.path + "/captures/tls-nginx.keys")
      let command =
        form == "-" ? "\"$0\" <(cat \"$1\") --no-progress" : "\"$0\" \"$1\" \(form)<(cat \"$2\") --no-progress"
      let outcome = try Command.run(
        URL(fileURLWithPath: "/bin/bash"), ["-c", command, Sniffer.url.path, capture, keys])
      #expect(outcome.status == 0 && outcome.output.contains("ledger balanced: "), "\(outcome.error)")
    }
  }
#endif
