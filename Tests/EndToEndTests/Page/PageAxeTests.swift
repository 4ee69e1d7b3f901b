import Foundation
import Testing

/// What axe, a checker of accessibility that others wrote, finds on the page: nothing.
@Suite(
  .enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)")
)
struct PageAxeTests {
  private static let packages = PythonPackages(
    "axe-witness", ["axe-core-python==0.1.0"], modules: ["axe_core_python"])

  private static let findings = """
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => \
    `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`))
    """

  @Test func axeFindsNothing() throws {
    guard let python = Self.packages.python else {
      return Environment.skip("axeFindsNothing", because: Self.packages.reason)
    }
    let place = try Command.run(
      python, ["-c", "import axe_core_python, os; print(os.path.dirname(axe_core_python.__file__))"])
    let folder = place.output.trimmingCharacters(in: .whitespacesAndNewlines)
    let axe = try String(contentsOfFile: folder + "/axe.min.js", encoding: .utf8)
    let page = try PageBrowserTests.demo.get()
    var steps: [Browser.Step] = []
    for (width, scheme) in [(1280, "light"), (390, "dark")] {
      steps += [
        .size(width, 844), .scheme(scheme), .reload, .evaluate(PageAccessTests.opening),
        .evaluate(axe + "; axe.version.length"), .evaluate(Self.findings),
      ]
    }
    let outcome = try Browser.open(page.url, steps)
    for run in 0..<2 {
      #expect(outcome.values[3 * run] == .number(3), "an API and two exchanges are open")
      #expect(outcome.values[3 * run + 1] != .number(0), "axe is there")
      #expect(outcome.values[3 * run + 2] == .list([]))
    }
    PageBrowserTests.expectQuiet(outcome, page.url)
  }
}
