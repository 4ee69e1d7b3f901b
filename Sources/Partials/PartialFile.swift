import HTTPReassembly
import SystemPackage
import Tabular

/// A segment of a partial on disk: the results of one capture.
public struct PartialSegment: Sendable, Equatable {
  /// The partial's path.
  public let file: String
  /// The offset of the segment in the file, in octets.
  public let start: Int
  /// Octets of the segment's blocks.
  let blocks: Int
  /// Octets of the whole segment.
  public let length: Int
  /// The checksum of its blocks and its head.
  let checksum: UInt32
  /// The description of its capture.
  public internal(set) var head: PartialHead

  /// The segments of a partial, in the order of the file.
  ///
  /// - Throws: if the file cannot be read, or is no partial.
  public static func all(in path: String) throws(PartialError) -> [PartialSegment] {
    let type = OpenFile.status(at: path)?.type
    guard type == .regular || type == nil && path != "-" else { throw PartialError(path, .notAFile) }
    let file = try PartialInput(path)
    var segments: [PartialSegment] = []
    var end = try file.length()
    if end == 0 { throw PartialError(path, .notAPartial) }
    while end > 0 {
      let segment = try file.segment(endingAt: end)
      segments.append(segment)
      end = segment.start
    }
    return segments.reversed()
  }

  /// Opens the folder of a partial that is to be written. A partial that has its name may be replaced, and so may an empty file.
  ///
  /// - Throws: if the folder cannot be opened, or something else has the name: a capture, a symbolic link, a device.
  package static func folder(for path: String) throws(ReportError) -> (folder: OutputFolder, name: String) {
    let (folderPath, name) = OutputFolder.split(path)
    let folder = try OutputFolder(folderPath)
    if folder.contains(name) {
      guard folder.hasRegularFile(name), let file = try? OpenFile.reading(path),
        let beginning = try? file.next(PartialFormat.magic.count), [[], PartialFormat.magic].contains(beginning)
      else {
        throw ReportError(.create, folder.path(of: name), reason: "A file that is no partial has this name, and stays")
      }
    }
    return (folder, name)
  }

  /// Whether its octets are those that were written. It reads all of them.
  package var isWhole: Bool {
    do throws(PartialError) { try verify(try PartialInput(file)) } catch { return false }
    return true
  }

  /// Appends the unchanged segment to a file.
  ///
  /// - Returns: Why the segment cannot be read, or that it is damaged; nil if it is whole.
  /// - Throws: if the file cannot be written.
  package func copy(to target: OutputFile) throws(ReportError) -> PartialError? {
    let input: PartialInput
    do throws(PartialError) { input = try PartialInput(file) } catch { return error }
    var checksum = Checksum()
    let ranges = [start..<checkedRange.lowerBound, checkedRange, checkedRange.upperBound..<start + length]
    for piece in ranges.flatMap(Self.pieces) {
      let octets: [UInt8]
      do throws(PartialError) { octets = try input.octets(piece) } catch { return error }
      if checkedRange.contains(piece.lowerBound) { checksum.add(octets) }
      try target.append(octets)
    }
    return checksum.value == self.checksum ? nil : PartialError(file, .damaged)
  }

  /// Reads all of it once: a segment that is damaged anywhere is refused before any of it is counted.
  ///
  /// - Throws: when its octets are not those that were written.
  func verify(_ input: PartialInput) throws(PartialError) {
    var checksum = Checksum()
    for piece in Self.pieces(of: checkedRange) { checksum.add(try input.octets(piece)) }
    guard checksum.value == self.checksum else { throw PartialError(file, .damaged) }
  }

  /// Where its blocks are in the file.
  var blockRange: Range<Int> {
    let first = start + PartialFormat.magic.count
    return first..<first + blocks
  }

  /// Where the octets are that its checksum is of: the blocks and the head.
  private var checkedRange: Range<Int> { blockRange.lowerBound..<start + length - PartialFormat.footerLength }

  /// Octets that are copied or checked at once.
  private static let copyLength = 1 << 20

  /// The pieces of a range that are read one after the other.
  private static func pieces(of range: Range<Int>) -> [Range<Int>] {
    stride(from: range.lowerBound, to: range.upperBound, by: copyLength).map {
      $0..<min($0 + copyLength, range.upperBound)
    }
  }
}

/// An open partial.
final class PartialInput {
  let path: String
  private let file: OpenFile

  init(_ path: String) throws(PartialError) {
    self.path = path
    do throws(Errno) { file = try OpenFile.reading(path) } catch {
      throw PartialError(path, .cannotRead(errno: error.rawValue))
    }
  }

  func length() throws(PartialError) -> Int {
    do throws(Errno) { return try file.length() } catch {
      throw PartialError(path, .cannotRead(errno: error.rawValue))
    }
  }

  /// The octets of a range of the file.
  func octets(_ range: Range<Int>) throws(PartialError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: range.count)
    var count = 0
    while count < octets.count {
      let read: Int
      do throws(Errno) { read = try file.read(into: &octets, from: count, at: range.lowerBound + count) } catch {
        throw PartialError(path, .cannotRead(errno: error.rawValue))
      }
      guard read > 0 else { throw PartialError(path, .damaged) }
      count += read
    }
    return octets
  }

  /// The content of the first block in a range, which is removed from the range.
  func block(_ range: inout Range<Int>) throws(PartialError) -> [UInt8] {
    guard range.count >= 4 else { throw PartialError(path, .damaged) }
    let length = PartialFormat.number(try octets(range.lowerBound..<range.lowerBound + 4)[...])
    let start = range.lowerBound + 4
    guard length <= range.upperBound - start,
      let content = FrameDecompressor.content(
        of: try octets(start..<start + length), limit: PartialFormat.blockLimit)
    else { throw PartialError(path, .damaged) }
    range = start + length..<range.upperBound
    return content
  }

  /// The segment that ends at `end`.
  func segment(endingAt end: Int) throws(PartialError) -> PartialSegment {
    let magic = PartialFormat.magic
    guard end >= magic.count + PartialFormat.footerLength else { throw PartialError(path, .notAPartial) }
    let footer = try octets(end - PartialFormat.footerLength..<end)
    guard Array(footer[20...]) == magic else {
      let isBegun = try octets(0..<magic.count) == magic
      throw PartialError(path, isBegun ? .damaged : .notAPartial)
    }
    let version = PartialFormat.number(footer[16..<20])
    guard version == PartialFormat.version else { throw PartialError(path, .version(version)) }
    let (blocks, headLength) = (PartialFormat.number(footer[0..<8]), PartialFormat.number(footer[8..<12]))
    let limit = end - PartialFormat.footerLength - magic.count
    guard blocks >= 0, headLength >= 0, headLength <= limit, blocks <= limit - headLength else {
      throw PartialError(path, .damaged)
    }
    let headEnd = end - PartialFormat.footerLength
    let start = headEnd - headLength - blocks - magic.count
    guard try octets(start..<start + magic.count) == magic,
      let content = FrameDecompressor.content(
        of: try octets(headEnd - headLength..<headEnd), limit: PartialFormat.headLimit)
    else { throw PartialError(path, .damaged) }
    var reading = RowReading()
    reading.take(content)
    var head = PartialHead()
    do throws(PartFault) { try head.code(&reading) } catch { throw PartialError(path, capture: "", fault: error) }
    let checksum = UInt32(PartialFormat.number(footer[12..<16]))
    return PartialSegment(
      file: path, start: start, blocks: blocks, length: end - start, checksum: checksum, head: head)
  }
}
