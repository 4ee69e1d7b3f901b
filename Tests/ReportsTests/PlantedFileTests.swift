import Foundation
import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// A file that stands where a report goes is taken out of the folder, whatever it is, and nothing is written into it.
@Suite struct PlantedFileTests {
  private let folder = TemporaryFolder()

  /// Ways in which a regular file can be somebody else's.
  enum Kind: String, CaseIterable {
    case otherOwner, writableByOthers, secondName, open
  }

  @Test(arguments: Kind.allCases) func isNeverWrittenInto(_ kind: Kind) throws {
    // Only root can give a file away.
    if kind == .otherOwner, geteuid() != 0 { return }
    let path = folder.path + "/f"
    try "precious".write(toFile: path, atomically: false, encoding: .utf8)
    switch kind {
    case .otherOwner: try #require(unsafe chown(path, 65_534, 65_534) == 0)
    case .writableByOthers: try #require(unsafe chmod(path, 0o666) == 0)
    case .secondName, .open: break
    }
    // Whatever becomes of the name, this is the file that was planted.
    try FileManager.default.linkItem(atPath: path, toPath: folder.path + "/victim")
    let open = try #require(FileHandle(forUpdatingAtPath: path))
    let file = try OutputFolder(folder.path).file("f")
    try file.append(Array("text".utf8))
    try file.close()
    #expect(folder.text("f") == "text" && folder.text("victim") == "precious")
    #expect(try open.readToEnd() == Data("precious".utf8))
    var status = stat()
    try #require(unsafe lstat(path, &status) == 0)
    #expect(status.st_uid == geteuid() && status.st_mode & 0o7777 == 0o600 && status.st_nlink == 1)
  }

  @Test func aFileOfOneOwnIsTold() throws {
    let output = try OutputFolder(folder.path)
    try output.file("f").close()
    #expect(output.isOwnOrNone("f") && output.isOwnOrNone("none"))
    try FileManager.default.linkItem(atPath: folder.path + "/f", toPath: folder.path + "/second")
    #expect(!output.isOwnOrNone("f"))
    try FileManager.default.removeItem(atPath: folder.path + "/second")
    try #require(unsafe chmod(folder.path + "/f", 0o620) == 0)
    #expect(!output.isOwnOrNone("f"))
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "f")
    #expect(!output.isOwnOrNone("link"))
  }

  // MARK: The lock

  private func failure(_ body: () throws(ReportError) -> Void) -> ReportError? {
    do throws(ReportError) { try body() } catch { return error }
    return nil
  }

  @Test func aFolderIsOfOneRunAtATime() throws {
    let path = folder.path + "/reports"
    let first = try ReportFolder(path, writing: [], of: [])
    let error = failure { () throws(ReportError) in _ = try ReportFolder(path, writing: [], of: []) }
    #expect(error?.description == "\(path): cannot use the folder: Another run writes its reports there")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == [ReportFolder.markName, FolderLock.fileName].sorted())
    first.release()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [ReportFolder.markName])
    // The same once more, released by the end of its life.
    do { _ = try ReportFolder(path, writing: [], of: []) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [ReportFolder.markName])
    let second = try ReportFolder(path, writing: [], of: [])
    try second.requireExistence()
    second.release()
  }

  @Test func aLockFileThatNobodyHoldsIsInNobodysWay() throws {
    let lock = folder.path + "/" + FolderLock.fileName
    for mode in [0o600, 0o666] as [mode_t] {
      try "stale".write(toFile: lock, atomically: false, encoding: .utf8)
      try #require(unsafe chmod(lock, mode) == 0)
      let run = try ReportFolder(folder.path, writing: [], of: [])
      var status = stat()
      try #require(unsafe lstat(lock, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(failure { () throws(ReportError) in _ = try ReportFolder(folder.path, writing: [], of: []) } != nil)
      run.release()
      #expect(folder.names == [ReportFolder.markName])
    }
  }

  /// Nobody's file is removed that another run has made since.
  @Test func onlyTheOwnLockFileIsRemoved() throws {
    let run = try ReportFolder(folder.path, writing: [], of: [])
    try FileManager.default.removeItem(atPath: folder.path + "/" + FolderLock.fileName)
    let other = try ReportFolder(folder.path, writing: [], of: [])
    run.release()
    #expect(folder.names.sorted() == [ReportFolder.markName, FolderLock.fileName].sorted())
    other.release()
  }

  @Test func aLinkOrPipeInThePlaceOfTheLockIsRefused() throws {
    let lock = folder.path + "/" + FolderLock.fileName
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: folder.path + "/victim")
    #expect(
      failure { () throws(ReportError) in _ = try ReportFolder(folder.path, writing: [], of: []) }?.reason
        == "It is a symbolic link")
    #expect(folder.names == [FolderLock.fileName])
    try FileManager.default.removeItem(atPath: lock)
    let made = unsafe mkfifo(lock, 0o600)
    try #require(made == 0)
    #expect(
      failure { () throws(ReportError) in _ = try ReportFolder(folder.path, writing: [], of: []) }?.reason
        == "It is not a regular file")
  }
}
