import Foundation
import TestSupport
import Testing

/// What goes wrong during a run: a clear line, status 1, and what was captured so far is on disk.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveFailureTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a small file system"))
  func fullDisk() throws {
    let server = try LocalServer()
    let (disk, kept) = (scratch.path("disk"), scratch.path("kept"))
    // The file system is gone with the namespace that it is mounted in, so the files are taken out of it first.
    let line = """
      mount -t tmpfs -o size=64k tmpfs "$2" || exit 99
      "$1" live -i lo --filter "tcp port $4" --allow-root --duration 1200 --interval 0.1 -o "$2/report"
      status=$?
      cp -R "$2/report" "$3"
      exit $status
      """
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let process = try RunningCommand(
      try #require(Environment.tool("unshare")),
      ["-m", "/bin/sh", "-c", line, "sh", Sniffer.url.path, disk, kept, "\(server.port)"])
    #expect(process.says("capturing on"))
    let client = try server.startRequests(600)
    let outcome = try process.wait()
    _ = try client.wait()
    #expect(outcome.status == 1 && !outcome.wasKilled)
    let errors = outcome.errorLines.filter { $0.contains("No space left on device") }
    #expect(errors.count == 1 && errors.first?.contains("\(disk)/report/") == true, "\(outcome.error)")
    for name in ["messages.csv", "connections.csv", "exchanges.csv"] {
      let octets = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(kept)/\(name)")))
      // Of what was written, every row that ends is whole.
      let end = octets.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      #expect(throws: Never.self, "\(name)") { try CSVFile(Array(octets[..<end])) }
      #expect(end == octets.count, "\(name)")
    }
  }

  @Test func folderThatCannotBeWritten() throws {
    let folder = try scratch.file("file").path + "/report"
    let outcome = try Sniffer.run(["live", "-i", "lo", "--allow-root", "--duration", "5", "-o", folder])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("Not a directory"), "\(outcome.error)")
  }

  @Test func folderOfSomebodyElse() throws {
    let folder = scratch.path("report")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let outcome = try Sniffer.run(["live", "-i", "lo", "--user", "nobody", "--duration", "5", "-o", folder])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("Permission denied"), "\(outcome.error)")
  }

  @Test func savedFileThatCannotBeWritten() throws {
    let file = try scratch.file("file").path + "/saved.pcapng"
    let outcome = try Sniffer.run(["live", "-i", "lo", "--allow-root", "--duration", "5", "--write", file])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("Not a directory"), "\(outcome.error)")
  }

  /// In a network namespace of its own, which is gone with the process.
  @Test(.enabled(if: Environment.canMakeInterfaces, "no network namespaces here"))
  func interfaceThatVanishes() throws {
    let unshare = try #require(Environment.tool("unshare"))
    let nsenter = try #require(Environment.tool("nsenter"))
    let report = scratch.path("report")
    let line = """
      ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up || exit 99
      exec "$1" live -i v0 --allow-root --duration 1200 -o "$2"
      """
    let process = try RunningCommand(unshare, ["-n", "/bin/sh", "-c", line, "sh", Sniffer.url.path, report])
    #expect(process.says("capturing on"))
    let removed = try Command.run(nsenter, ["-t", "\(process.identifier)", "-n", "ip", "link", "del", "v0"])
    try #require(removed.status == 0, "\(removed.error)")
    let outcome = try process.wait()
    #expect(outcome.status == 1 && !outcome.wasKilled)
    let errors = outcome.errorLines.filter { $0.contains("v0") && !$0.contains("capturing on") }
    #expect(errors.count == 1, "\(outcome.error)")
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    #expect(try Report(folder: URL(fileURLWithPath: report)).ledger("difference") == 0)
  }
}
