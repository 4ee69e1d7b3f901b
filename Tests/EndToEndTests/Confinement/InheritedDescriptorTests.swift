#if os(Linux)
  import Foundation
  import Testing

  /// Files that the parent has open are none of a run's.
  @Suite struct InheritedDescriptorTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func areClosed() throws {
      let secret = try scratch.file("secret", [1, 2, 3]).path
      // With standard input that stays open, the run waits, confined, until it is told to end.
      let input = Pipe()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "exec 9<>\"$1\" 8<\"$1\"; exec \"$0\" -", Sniffer.url.path, secret]
      process.standardInput = input
      process.standardOutput = Pipe()
      try process.run()
      defer {
        process.terminate()
        process.waitUntilExit()
      }
      let folder = "/proc/\(process.processIdentifier)"
      let limit = Date(timeIntervalSinceNow: 300)
      while try !String(contentsOfFile: folder + "/status", encoding: .utf8).contains("Seccomp:\t2") {
        try #require(process.isRunning && Date() < limit)
        Thread.sleep(forTimeInterval: 0.01)
      }
      let open = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").map {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/fd/" + $0)) ?? ""
      }
      #expect(open.count > 2 && !open.contains(secret), "\(open)")
    }

    /// A shell hands over what another program prints as a descriptor.
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
