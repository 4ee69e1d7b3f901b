import Foundation

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
