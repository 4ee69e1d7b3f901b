import Foundation
import Testing

@testable import Capture

/// Files that are read while they grow, by a clock that the test drives.
@Suite(.timeLimit(.minutes(10))) struct FollowedFileTests {
  private let clock = DrivenClock()
  private let file: TemporaryFile
  /// A record, as it is in the file.
  private let record: [UInt8]

  init() throws {
    var pcap = PcapBuilder()
    let header = pcap.octets.count
    pcap.record(pattern(60))
    record = Array(pcap.octets.dropFirst(header))
    file = try TemporaryFile(pcap.octets)
  }

  private func reader(patience: Duration? = nil, stop: ReadingStop? = nil) throws -> CaptureReader {
    var waiting = Waiting(stop: stop, follows: true, patience: patience)
    waiting.clock = clock
    var reader = try CaptureReader(path: file.path, waiting: waiting)
    #expect(try reader.advance())
    return reader
  }

  /// Does something while the reader waits, which it does until so many milliseconds after the start, and lets time pass.
  private func onWait(until end: Int, passing time: Int = 100, _ body: @escaping @Sendable () throws -> Void = {}) {
    let clock = clock
    clock.onWait(until: clock.start + .milliseconds(end)) {
      do { try body() } catch { Issue.record(error) }
      clock.advance(by: .milliseconds(time))
    }
  }

  private static func append(_ octets: [UInt8], to path: String) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(octets))
    try handle.close()
  }

  @Test func whatIsAddedIsReadUntilNothingIsForTooLong() throws {
    var reader = try reader(patience: .seconds(5))
    let (path, record) = (file.path, record)
    onWait(until: 100) { try Self.append(record, to: path) }
    #expect(try reader.advance())
    // Nothing is added within the patience, less a moment.
    onWait(until: 200, passing: 4999)
    onWait(until: 5199)
    #expect(try !reader.advance())
    #expect(clock.now == clock.start + .milliseconds(5199))
  }

  @Test func aStopEndsTheWait() throws {
    let stop = ReadingStop()
    var reader = try reader(stop: stop)
    onWait(until: 100) { stop() }
    #expect(try !reader.advance())
  }

  @Test func aFileThatBecomesShorterIsNamed() throws {
    var reader = try reader()
    let path = file.path
    onWait(until: 100) { #expect(unsafe truncate(path, 24) == 0) }
    let error = #expect(throws: CaptureError.self) { try reader.advance() }
    #expect(error?.problem == .truncated(length: 24))
  }

  /// The writer of a file that lost its name may add to it for two seconds.
  @Test func aFileThatLostItsNameIsReadToItsEnd() throws {
    var reader = try reader()
    let moved = TemporaryFile()
    let (path, newPath, record) = (file.path, moved.path, record)
    onWait(until: 100) { #expect(unsafe rename(path, newPath) == 0) }
    onWait(until: 200) { try Self.append(record, to: newPath) }
    #expect(try reader.advance())
    onWait(until: 300, passing: 1999)
    onWait(until: 2299)
    let error = #expect(throws: CaptureError.self) { try reader.advance() }
    #expect(error?.problem == .replaced)
    #expect(clock.now == clock.start + .milliseconds(2299))
  }
}
