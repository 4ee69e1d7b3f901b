import Capture
import Foundation
import Testing

@Suite struct NotACaptureTests {
  @Test func otherFilesAreRefused() throws {
    let cases: [([UInt8], String)] = [
      ([], "it is empty"),
      ([0xd4, 0xc3, 0xb2], "it is only d4 c3 b2 (...)"),
      (Array("(log: 1)".utf8), "it begins with 28 6c 6f 67 3a 20 31 29 ((log: 1))"),
      (
        Array("#!/bin/sh\n\u{1b}[31m and much more".utf8),
        "it begins with 23 21 2f 62 69 6e 2f 73 68 0a 1b 5b 33 31 6d 20 (#!/bin/sh..[31m )"
      ),
    ]
    for (octets, found) in cases {
      let file = try TemporaryFile(octets)
      let error = try #require(Reading(path: file.path).error)
      #expect(error.problem == .notACapture(found: found))
      #expect(error.description == "\(file.path): not a capture file: \(found)")
    }
  }

  /// The check before a run and the run itself agree, whatever the first octets are. Damage is for the run to tell.
  @Test func theCheckRefusesWhatCannotBeOpened() throws {
    let pcap = PcapBuilder().octets
    let refused: [[UInt8]] = [
      [], [0], [0xd4, 0xc3, 0xb2], [0, 1, 2, 3, 4, 5, 6, 7], [UInt8](repeating: 0, count: 5000), pattern(300, seed: 7),
      Compressed.gzip(Array("some text".utf8)), Compressed.zstd([0, 1, 2, 3, 4]), Compressed.gzip([]),
      Array(pcap[..<4]) + [9, 0] + pcap[6...],
    ]
    for octets in refused {
      let file = try TemporaryFile(octets)
      let error = try #require(CaptureCheck.fault(of: file.path), "\(octets.prefix(8))")
      #expect(error == Reading(path: file.path).error)
    }
    let (gzip, zstd) = (Compressed.gzip(pcap), Compressed.zstd(pcap))
    for octets in [pcap, Array(pcap[..<10]), Array(gzip.dropLast(9)), Array(zstd.dropLast(3))] {
      let file = try TemporaryFile(octets)
      #expect(CaptureCheck.fault(of: file.path) == nil)
    }
  }

  @Test func directory() throws {
    let path = FileManager.default.temporaryDirectory.path
    let error = try #require(Reading(path: path).error)
    #expect(error.description == "\(path): not a capture file: it is a directory")
  }

  @Test func missingFile() throws {
    let error = try #require(Reading(path: "/nowhere/x.pcap").error)
    #expect(error.problem == .cannotOpen(errno: 2))
    #expect(error.description == "/nowhere/x.pcap: cannot open: No such file or directory")
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func unreadableFile() throws {
    let file = try TemporaryFile(PcapBuilder().octets)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    #expect(Reading(path: file.path).error?.problem == .cannotOpen(errno: 13))
  }

  #if os(Linux)
    /// Nothing is mapped at address 0.
    @Test func readError() throws {
      let error = try #require(Reading(path: "/proc/self/mem").error)
      #expect(error.problem == .readFailed(errno: 5))
      #expect(error.offset == 0)
    }
  #endif
}
