import Foundation
import Testing

/// Packages from the Python Package Index that tests use as witnesses, in an environment of their own beside the build.
struct PythonPackages: Sendable {
  /// Python with the packages; nil where they cannot be had, and `reason` says why.
  let python: URL?
  /// Why there is no Python with the packages.
  let reason: String

  /// Finds or makes the environment `name`; `modules` are what has to be importable of `packages`.
  init(_ name: String, _ packages: [String], modules: [String]) {
    (python, reason) = Self.find(name, packages, modules)
  }

  /// No environment, since the tests that need it do not run.
  init(unwanted reason: String) {
    python = nil
    self.reason = reason
  }

  /// Runs a script once for each set of arguments, in one process: to import the packages takes longer than most runs. It ends with the first
  /// run that fails.
  func run(_ script: String, each arguments: [[String]], environment: [String: String] = [:]) throws -> Outcome {
    let sets = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    return try Command.run(try #require(python), ["-c", Self.loop, script, sets], environment: environment)
  }

  private static let loop = """
    import json, sys
    code = compile(sys.argv[1], "witness", "exec")
    for arguments in json.loads(sys.argv[2]):
        sys.argv = ["witness"] + arguments
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as end:
            if end.code: raise
    """

  private static func find(_ name: String, _ packages: [String], _ modules: [String]) -> (python: URL?, reason: String)
  {
    guard let system = Environment.tool("python3") else { return (nil, "python3 is not installed") }
    let folder = Sniffer.productsFolder.appendingPathComponent(name)
    let python = folder.appendingPathComponent("bin/python")
    let importing = ["-c", "import " + modules.joined(separator: ", ")]
    if let outcome = try? Command.run(python, importing), outcome.status == 0 { return (python, "") }
    guard let made = try? Command.run(system, ["-m", "venv", folder.path]), made.status == 0 else {
      return (nil, "python3 -m venv fails (Debian: python3-venv)")
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"] + packages
    guard let outcome = try? Command.run(python, install), outcome.status == 0 else {
      return (nil, "the packages cannot be installed: is the Python Package Index in reach?")
    }
    return (python, "")
  }
}
