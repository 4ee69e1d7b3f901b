import Foundation
import FuzzTargets
import Testing

/// Every input that once broke something is run again.
@Suite struct FindingsTests {
  private static let folder =
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Fuzz/findings").standardizedFileURL.path

  private static let findings: [String] = FuzzTarget.all.flatMap { target in
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(target.name)")) ?? []).sorted().map {
      "\(target.name)/\($0)"
    }
  }

  @Test func thereAreFindings() { #expect(!Self.findings.isEmpty) }

  @Test(arguments: findings)
  func findingIsMended(_ finding: String) throws {
    let target = try #require(FuzzTarget.named(String(finding.prefix { $0 != "/" })))
    let input = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(finding)")))
    let fault = target.fault(input)
    #expect(fault == nil)
  }

  /// The shortest inputs mean something to every target, too.
  @Test(arguments: FuzzTarget.all.map(\.name))
  func shortInputs(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    for length in 0..<8 {
      for octet in [UInt8(0), 1, 0x7f, 0xff] {
        let fault = target.fault(Array(repeating: octet, count: length))
        #expect(fault == nil, "\(length) octets of \(octet)")
      }
    }
  }
}
