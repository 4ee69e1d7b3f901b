import Foundation

/// Where the tests find their captures.
enum Locations {
  private static let packageRoot =
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL.path
  /// The corpus of other people's captures and its oracle: `SNIFFER_CORPUS`, else beside the package.
  static let corpus =
    ProcessInfo.processInfo.environment["SNIFFER_CORPUS"]
    ?? URL(fileURLWithPath: packageRoot + "/../shared/corpus").standardizedFileURL.path
  /// Whether the corpus is there.
  static let hasCorpus = FileManager.default.fileExists(atPath: corpus + "/MANIFEST.csv")
  /// What a skipped test says.
  static let noCorpus = "no corpus at \(corpus); set SNIFFER_CORPUS"
  /// The disagreements with the oracle that are known, each with its reason.
  static let disagreements = packageRoot + "/Tests/ConformanceTests/disagreements.csv"
  /// The package's own captures.
  static let captures = packageRoot + "/captures"

  /// The package's own captures, as paths in `captures`, in the order of their names.
  static var captureNames: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: captures).filter { name in
        [".pcap", ".pcapng", ".gz", ".zst"].contains { name.hasSuffix($0) }
      }.sorted()
    }
  }
}
