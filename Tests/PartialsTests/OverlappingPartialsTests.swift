import Foundation
import HTTPReassembly
import Packets
import TestSupport
import Testing

@testable import Partials

/// Partials of captures of the same time, read together: each holds one block, and blocks are small.
@Suite struct OverlappingPartialsTests {
  /// `count` packets of `length` octets, a millisecond apart.
  private static func packets(_ count: Int, of length: Int) -> [TestPacket] {
    (0..<count).map { number in
      TestPacket(
        timestamp: Int64(number) * 1_000_000,
        octets: Array(repeating: UInt8(truncatingIfNeeded: number), count: length),
        originalLength: length, linkType: .ethernet)
    }
  }

  /// Reads partials together, and goes on after errors.
  private static func read(_ paths: [String]) throws -> (times: [Int64], errors: [PartialError]) {
    var captures = OverlappingPartials(try PartialSeries(paths, mayRepeat: true))
    var times: [Int64] = []
    var errors: [PartialError] = []
    while true {
      do throws(PartialError) {
        switch try captures.advance() {
        case .packet: captures.withPacket { packet, _ in times.append(packet.timestamp / 1_000_000) }
        case .capture: break
        case .end: return (times, errors)
        }
      } catch {
        errors.append(error)
      }
    }
  }

  @Test func blocksAreSmall() throws {
    let folder = try PartialFolder()
    let partial = try folder.partial(of: [Self.packets(3000, of: 1000)], Configuration(), keepsPackets: true)
    let segments = try PartialSegment.all(in: partial.path)
    let input = try PartialInput(partial.path)
    var range = try #require(segments.first).blockRange
    var blocks: [Int] = []
    while !range.isEmpty { blocks.append(try input.block(&range).count) }
    #expect(blocks.count > 10 && blocks.allSatisfy { $0 <= 260 << 10 }, "\(blocks)")
    let (times, errors) = try Self.read([partial.path, partial.path])
    #expect(errors.isEmpty)
    #expect(times == (0..<3000).flatMap { [$0, $0] })
  }

  /// A block that is larger than all others together may be is refused, and so is one of too many.
  @Test func blocksShareALimit() throws {
    let folder = try PartialFolder()
    let large = try folder.partial(of: [Self.packets(2, of: 15 << 20)], Configuration(), keepsPackets: true).path
    let (times, errors) = try Self.read(Array(repeating: large, count: 10))
    let most = OverlappingPartials.memoryLimit / (15 << 20)
    #expect(errors.count == 10 - most && errors.allSatisfy { $0.problem == .tooLargeAtOnce }, "\(errors)")
    #expect(times == [0, 1].flatMap { Array(repeating: $0, count: most) })
    #expect(errors.first?.description.contains("take more than 128 MiB of memory") == true)
  }

  @Test func aPartialIsAFile() throws {
    let folder = try PartialFolder()
    let pipe = folder.path + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [pipe, folder.path, "/dev/null", "-"] {
      let error = #expect(throws: PartialError.self) { try PartialSegment.all(in: path) }
      #expect(error?.problem == .notAFile, "\(path)")
    }
    let missing = #expect(throws: PartialError.self) { try PartialSegment.all(in: folder.path + "/missing") }
    #expect(missing?.problem == .cannotRead(errno: 2))
  }
}
