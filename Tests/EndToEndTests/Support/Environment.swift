import Foundation

/// What the machine that runs the tests has and permits.
enum Environment {
  /// Where a program is; nil if it is not installed.
  static func tool(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (folders + ["/usr/sbin", "/sbin"]).map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Whether the tests run as root.
  static let isRoot = geteuid() == 0

  /// Whether a file system can be mounted where nobody else sees it.
  static let canMount: Bool = {
    guard isRoot, tool("unshare") != nil, let scratch = try? Scratch() else { return false }
    let outcome = try? Command.shell("exec unshare -m mount -t tmpfs tmpfs \"$1\"", [scratch.url.path])
    return outcome?.status == 0
  }()

  /// Whether a network namespace with interfaces of its own can be made.
  static let canMakeInterfaces: Bool = {
    guard tool("unshare") != nil, tool("nsenter") != nil else { return false }
    let outcome = try? Command.shell("exec unshare -n ip link add v0 type veth peer name v1", [])
    return outcome?.status == 0
  }()

  /// Says why a test left something out: what shows only while it runs. What shows before is a condition of the test. In CI
  /// either fails unless `Tests/skips` has the reason (`scripts/check-skips`).
  static func skip(_ test: String, because reason: String) { print("SKIPPED \(test): \(reason)") }
}
