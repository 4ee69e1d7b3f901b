import Foundation
import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// What is created and for whom, and what is refused.
@Suite struct OutputFolderTests {
  private let folder = TemporaryFolder()

  private func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  private func failure(_ body: () throws(ReportError) -> Void) -> ReportError? {
    do throws(ReportError) { try body() } catch { return error }
    return nil
  }

  @Test(arguments: ["a", "a/b/c", "a//b/", "./a/../a/b"])
  func foldersAreMadeForTheirOwnerAlone(_ name: String) throws {
    let path = folder.path + "/" + name
    // "a" has to be there before "a/.." means anything.
    if name.contains("..") { _ = try OutputFolder(folder.path + "/a") }
    let output = try OutputFolder(path)
    let file = try output.file("f")
    try file.append(Array("text".utf8))
    try file.close()
    #expect(try permissions(folder.path + "/a") == 0o700)
    #expect(try permissions(path) == 0o700)
    #expect(try permissions(path + "/f") == 0o600)
    // Once more, now that it is there: the file is emptied.
    try OutputFolder(path).file("f").close()
    #expect(FileManager.default.contents(atPath: path + "/f") == Data())
  }

  @Test func aSymbolicLinkIsRefused() throws {
    let target = folder.path + "/target"
    try "precious".write(toFile: target, atomically: true, encoding: .utf8)
    let reports = folder.path + "/reports"
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: reports + "/ledger.csv", withDestinationPath: target)
    let error = failure { () throws(ReportError) in _ = try CSVReport(folder: reports, grouping: .init()) }
    #expect(error?.description == "\(reports)/ledger.csv: cannot create the file: It is a symbolic link")
    #expect(folder.text("target") == "precious")
  }

  @Test func aLinkToNowhereIsRefused() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/f", withDestinationPath: folder.path + "/nowhere")
    #expect(failure { () throws(ReportError) in _ = try OutputFolder(folder.path).file("f") } != nil)
    #expect(folder.names == ["f"])
  }

  @Test func whatIsNoFileIsRefused() throws {
    let made = unsafe mkfifo(folder.path + "/pipe", 0o600)
    try #require(made == 0)
    let error = failure { () throws(ReportError) in _ = try OutputFolder(folder.path).file("pipe") }
    #expect(error?.reason == "It is not a regular file")
    try FileManager.default.createDirectory(atPath: folder.path + "/d", withIntermediateDirectories: false)
    #expect(
      failure { () throws(ReportError) in _ = try OutputFolder(folder.path).file("d") }?.reason == "Is a directory")
  }

  @Test func aFolderUnderAFileCannotBeMade() throws {
    try "x".write(toFile: folder.path + "/file", atomically: true, encoding: .utf8)
    let path = folder.path + "/file/reports"
    let error = failure { () throws(ReportError) in _ = try CSVReport(folder: path, grouping: .init()) }
    #expect(error?.description == "\(path): cannot open the folder: Not a directory")
    #expect(failure { () throws(ReportError) in _ = try OutputFolder("") }?.operation == .openFolder)
  }

  @Test func theErrorIsOneLineWhateverTheName() {
    let error = ReportError(.write, "a\nb\u{1b}[0m", reason: "No space left on device")
    #expect(error.description == "a\\x0ab\\x1b[0m: cannot write: No space left on device")
  }

  #if os(Linux)
    @Test func aFullDisk() throws {
      let file = OutputFile(try OpenFile.appending("/dev/full"), path: "/dev/full")
      try file.append(Array(repeating: 0, count: 1000))
      let error = failure { () throws(ReportError) in try file.flush() }
      #expect(error?.description == "/dev/full: cannot write: No space left on device")
      // It stays failed.
      #expect(failure { () throws(ReportError) in try file.append([1]) } == error)
      #expect(failure { () throws(ReportError) in try file.close() } == error)
    }

    @Test func aTableThatFailedTakesNoMoreRows() throws {
      let file = OutputFile(try OpenFile.appending("/dev/full"), path: "/dev/full")
      var table = NumberedTable(file, in: try OutputFolder(folder.path))
      let row = Array(repeating: UInt8(ascii: "x"), count: 100_000)
      try table.add(1, row)
      #expect(failure { () throws(ReportError) in try table.add(2, row) } != nil)
      let isOpen = table.isOpen
      #expect(!isOpen)
      try table.add(3, row)
      try table.finish()
    }
  #endif

  @Test func theRestIsWrittenAfterAnError() throws {
    let report = try CSVReport(
      folder: folder.path, grouping: .init(), redaction: nil, memoryLimit: 0, runLimit: 2)
    try FileManager.default.removeItem(atPath: folder.path)
    var message = Message()
    message.number = 5
    let texts = TextPool()
    // The folder is gone, so that no temporary file can be made in it; the files that are open stay.
    let error = failure { () throws(ReportError) in try report.message(message, texts: texts) }
    #expect(error?.operation == .create)
    message.number = 1
    #expect(failure { () throws(ReportError) in try report.message(message, texts: texts) } == nil)
    var exchange = Exchange()
    exchange.number = 1
    #expect(failure { () throws(ReportError) in try report.exchange(exchange, texts: texts) } == nil)
    #expect(failure { () throws(ReportError) in try report.finish(emptyTotals()) } == error)
    #expect(report.failure == error)
  }

  /// What a database goes by: the path that SQLite opened has to be that of the file that was made.
  @Test func theFileIsToldFromLinksAndOtherFiles() throws {
    let path = folder.path
    let file = try OutputFolder(path).file("mine")
    try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/mine")
    try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/other"))
    #expect(file.descriptor.isAt(path + "/mine") && file.descriptor.isAt(path + "/./mine"))
    for name in ["link", "other", "none"] { #expect(!file.descriptor.isAt(path + "/" + name)) }
    #expect(file.descriptor.isRegularFile)
    #expect(try !OpenFile.appending("/dev/null").isRegularFile)
  }
}
