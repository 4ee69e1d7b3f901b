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

  /// What is wrong with `report.har` in a folder, a line each; empty when every reader takes it and its figures are those
  /// of the CSV files beside it.
  static func complaints(about folder: URL, comparingCSV: Bool = true) throws -> String {
    let schema = folder.appendingPathComponent("schema.json")
    try Data(HARSchema.text.utf8).write(to: schema)
    defer { try? FileManager.default.removeItem(at: schema) }
    let arguments = ["-c", HARWitnessScript.text, folder.path, schema.path, comparingCSV ? "csv" : "alone"]
    let outcome = try Command.run(try #require(python), arguments, environment: ["PYTHONWARNINGS": "error"])
    return outcome.status == 0 && outcome.output.hasPrefix("checked ") ? "" : outcome.output + outcome.error
  }
}
