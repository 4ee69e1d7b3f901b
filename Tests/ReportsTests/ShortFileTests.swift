import Foundation
import Tabular
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct ShortFileTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("short-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }

  private func octets(_ path: String, limit: Int = 10) -> Result<[UInt8], ShortFile.Fault> {
    defer { try? FileManager.default.removeItem(at: folder) }
    do throws(ShortFile.Fault) { return .success(try ShortFile.octets(of: path, limit: limit, patience: .zero)) } catch
    {
      return .failure(error)
    }
  }

  @Test(arguments: [0, 9, 10, 11])
  func aFileIsReadUpToItsLimit(_ length: Int) throws {
    let path = folder.appendingPathComponent("file").path
    try Data(repeating: 7, count: length).write(to: URL(fileURLWithPath: path))
    switch octets(path) {
    case .success(let octets): #expect(length <= 10 && octets == Array(repeating: 7, count: length))
    case .failure(let fault): #expect(length > 10 && fault.description == "has more than 10 bytes")
    }
  }

  @Test func aPipeThatNobodyWritesEnds() throws {
    let path = folder.appendingPathComponent("pipe").path
    try #require(unsafe mkfifo(path, 0o600) == 0)
    #expect(throws: ShortFile.Fault.self) { try octets(path).get() }
  }

  @Test func devicesAndFoldersAreRefused() {
    for path in ["/dev/zero", folder.path] {
      #expect(throws: ShortFile.Fault.self) { try ShortFile.octets(of: path, limit: 10) }
    }
    try? FileManager.default.removeItem(at: folder)
  }
}
