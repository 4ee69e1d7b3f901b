import Foundation
import TestSupport
import Testing

/// The Spark job in `scale` reports what one run reports, on clusters of its own. Its tests are Python, as it is.
@Suite(
  .enabled(if: SparkPackages.all.python != nil, "\(SparkPackages.all.reason)"),
  .enabled(if: Environment.tool("java") != nil, "java is not installed"),
  .enabled(if: Environment.tool("editcap") != nil, "editcap is not installed"))
struct SparkTests {
  @Test(.timeLimit(.minutes(60))) func theJobPassesItsTests() throws {
    let tests = Document.root.appendingPathComponent("scale/tests")
    let outcome = try Command.run(
      try #require(SparkPackages.all.python), ["-m", "pytest", "-q", "-p", "no:cacheprovider", tests.path],
      environment: ["SNIFFER_PROGRAM": Sniffer.url.path, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
    #expect(outcome.output.contains(" passed") && !outcome.output.contains("skipped"), "\(outcome.output)")
  }
}

/// The packages of the job and its tests, from the Python Package Index. They are large, and the tests take minutes.
enum SparkPackages {
  static let all =
    RandomCases.areAll
    ? PythonPackages(
      "spark", ["pyspark>=4,<5", "pyarrow>=18", "moto[server]>=5", "pytest>=8"],
      modules: ["pyspark", "pyarrow", "moto.server", "pytest"])
    : PythonPackages(unwanted: "runs only in make test-all")
}
