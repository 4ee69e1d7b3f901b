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
    // One at a time: each needs a processor for some seconds, and all tests that wait for one start at once. Groups of tests are processes
    // that run beside each other, and some need the same packages. The program's file is there in any run.
    guard let lock = FileHandle(forReadingAtPath: Sniffer.url.path), flock(lock.fileDescriptor, LOCK_EX) == 0 else {
      return (nil, "\(Sniffer.url.path) cannot be locked")
    }
    defer { try? lock.close() }
    let importing = ["-c", "import " + modules.joined(separator: ", ")]
    if failure(python, importing) == nil { return (python, "") }
    // A try that ended half-way leaves an environment that cannot be mended, such as one without pip: the next try begins with nothing.
    // What an older Python left there is of no use to this one, either.
    var failures: [String] = []
    for _ in 1...5 {
      try? FileManager.default.removeItem(at: folder)
      guard let failure = made(folder, by: system, python, packages) ?? failure(python, importing) else {
        return (python, "")
      }
      if !failures.contains(failure) { failures.append(failure) }
    }
    return (nil, failures.joined(separator: "; "))
  }

  /// Makes an environment with packages. Returns why it cannot; nil where it is made.
  private static func made(_ folder: URL, by system: URL, _ python: URL, _ packages: [String]) -> String? {
    if let failure = failure(system, ["-m", "venv", "--without-pip", folder.path]) {
      return "python3 -m venv fails (Debian: python3-venv): \(failure)"
    }
    let install = ["install", "--quiet", "--disable-pip-version-check", "--retries", "1"] + packages
    // `venv` would hide what the bootstrap of pip says. Where that fails, the system's own pip may serve.
    if let bootstrap = failure(python, ["-m", "ensurepip"]) {
      return failure(system, ["-m", "pip", "--python", python.path] + install).map {
        "python3 -m ensurepip fails (Debian: python3-venv): \(bootstrap); nor does the system's pip serve: \($0)"
      }
    }
    return failure(python, ["-m", "pip"] + install).map {
      "the packages cannot be installed: is the Python Package Index in reach? \($0)"
    }
  }

  /// The last lines that a program which fails says of it; nil where it succeeds.
  private static func failure(_ program: URL, _ arguments: [String]) -> String? {
    do {
      let outcome = try Command.run(program, arguments)
      if outcome.status == 0, !outcome.wasKilled { return nil }
      let said = (outcome.errorLines + outcome.outputLines).suffix(3).joined(separator: " | ")
      return "\(outcome.wasKilled ? "signal" : "status") \(outcome.status), \(said.isEmpty ? "no word" : said)"
    } catch {
      return "\(error)"
    }
  }
}
