import Foundation
import TestSupport
import Testing

/// `report.har` of every capture, as Python's readers of HAR see it.
@Suite struct HARFileTests {
  private let scratch: Scratch
  private let folder: URL

  init() throws {
    scratch = try Scratch()
    folder = scratch.url.appendingPathComponent("report")
  }

  @Test(.enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"), arguments: [false, true])
  func readersTakeItAndItsFiguresAreThoseOfTheOtherFiles(hasContent: Bool) throws {
    let folders = try Corpus.captures.map { capture in
      let folder = scratch.url.appendingPathComponent(capture.name)
      try run(hasContent ? ["--har-content", "headers,queries,bodies", capture.path] : [capture.path], into: folder)
      return folder
    }
    #expect(folders.count > 20)
    #expect(try HARWitness.complaints(about: folders) == "")
  }

  @Test(.enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"))
  func aDamagedCaptureGivesAWholeArchive() throws {
    let whole = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let octets = whole.part(0..<whole.records.count)
    let file = try scratch.file("cut.pcap", Array(octets.dropLast(octets.count / 3 + 7)))
    let outcome = try Sniffer.run([file.path, "--format", "csv,har", "-o", folder.path])
    #expect(outcome.status == 1)
    #expect(try HARWitness.complaints(about: folder) == "")
  }

  @Test(.enabled(if: HARWitness.python != nil, "\(HARWitness.reason)"))
  func aCaptureWithoutHTTPHasNoEntries() throws {
    let file = try scratch.file("empty.pcap", try PcapOctets(Corpus.capture("nginx-keepalive").url).header)
    try run([file.path])
    #expect(try HARWitness.complaints(about: folder) == "")
  }

  @Test func onlyTheOwnerCanReadIt() throws {
    try run([Corpus.capture("nginx-keepalive").path])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/report.har")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aPlantedSymbolicLinkIsRefused() throws {
    let victim = try scratch.file("victim", Array("precious".utf8))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/report.har", withDestinationPath: victim.path)
    let outcome = try Sniffer.run([Corpus.capture("nginx-keepalive").path, "--format", "har", "-o", folder.path])
    #expect(outcome.status == 1 && outcome.error.contains("report.har: cannot create the file"))
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
  }

  @Test func theSameCaptureGivesTheSameFile() throws {
    let capture = try Corpus.capture("mixed-2000")
    try run(["--har-content", "headers,bodies", capture.path])
    let first = try Data(contentsOf: folder.appendingPathComponent("report.har"))
    try run(["--har-content", "headers,bodies", capture.path])
    #expect(try Data(contentsOf: folder.appendingPathComponent("report.har")) == first)
  }

  @Test(arguments: [
    (["--har-content", "headers"], "--har-content needs --format har"),
    (["--har-content", "headers", "--redact", "--format", "har"], "--redact"),
    (["--har-content", "everything", "--format", "har"], "everything"),
    (["live", "-i", "lo", "--format", "har"], "live writes no HAR"),
  ])
  func wrongUsage(_ arguments: [String], _ text: String) throws {
    let capture = arguments[0] == "live" ? [] : [try Corpus.capture("nginx-keepalive").path]
    let outcome = try Sniffer.run(arguments + capture + ["-o", folder.path])
    #expect(outcome.status == 64)
    #expect(outcome.error.contains(text), "\(outcome.error)")
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  private func run(_ arguments: [String], into folder: URL? = nil) throws {
    let outcome = try Sniffer.run(arguments + ["--format", "csv,har", "-o", (folder ?? self.folder).path])
    #expect(outcome.status == 0, "\(outcome.error)")
  }
}
