import Foundation
import Testing

/// Readers of HAR that others wrote, from the Python Package Index, in an environment of their own beside the build.
enum HARWitness {
  private static let packages = PythonPackages(
    "har-witness", ["haralyzer==2.4.0", "hario-core==0.4.2", "jsonschema==4.26.0"],
    modules: ["haralyzer", "hario_core", "jsonschema"])

  /// Python with the packages; nil where they cannot be had, and `reason` says why.
  static var python: URL? { packages.python }
  /// Why there is no Python with the packages.
  static var reason: String { packages.reason }

  /// The faults of `report.har` in each folder, a line each; empty when every reader takes it and its figures are those of the CSV
  /// files beside it.
  static func complaints(about folders: [URL], comparingCSV: Bool = true) throws -> String {
    let schema = try #require(folders.first).appendingPathComponent("schema.json")
    try Data(HARSchema.text.utf8).write(to: schema)
    defer { try? FileManager.default.removeItem(at: schema) }
    let outcome = try packages.run(
      HARWitnessScript.text, each: folders.map { [$0.path, schema.path, comparingCSV ? "csv" : "alone"] },
      environment: ["PYTHONWARNINGS": "error"])
    let checked = outcome.outputLines.count { $0.hasPrefix("checked ") }
    return outcome.status == 0 && checked == folders.count ? "" : outcome.output + outcome.error
  }

  /// The same for one folder.
  static func complaints(about folder: URL, comparingCSV: Bool = true) throws -> String {
    try complaints(about: [folder], comparingCSV: comparingCSV)
  }
}
