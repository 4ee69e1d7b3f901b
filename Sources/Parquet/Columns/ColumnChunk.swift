import Packets
import Tabular

/// A column of one row group: its written pages, and the values of the current page.
///
/// Values go into a dictionary as long as that saves space. If a page has too many new ones, it and the pages after it store their values
/// themselves: texts as they are, numbers as differences.
struct ColumnChunk {
  /// The most rows of a page.
  static let pageRows = 16_384
  /// Octets of text after which a page ends.
  static let pageOctets = 256 << 10

  /// The number of Zstandard among Parquet's codecs.
  private static let codec: Int32 = 6

  /// Encodings by Parquet's numbers.
  enum Encoding: Int32 {
    case plain = 0
    case runLengths = 3
    case deltas = 5
    case dictionary = 8
  }

  /// Kinds of pages by Parquet's numbers.
  private enum PageType: Int32 {
    case data = 0
    case dictionary = 2
  }

  /// The column of the chunk.
  let column: ParquetColumn
  private var page = PageValues()
  private var dictionary = ValueDictionary()
  private var isDictionaryOpen = true
  private var statistics = ColumnStatistics()
  /// Compressed pages with their headers, without the dictionary's page.
  private var pages: [UInt8] = []
  /// The number of data pages by encoding.
  private var pageCounts: [Int32: Int] = [:]
  private var rowCount = 0
  /// Octets before compression, with headers.
  private var uncompressedLength = 0

  init(_ column: ParquetColumn) { self.column = column }

  /// Octets of the written pages.
  var length: Int { pages.count }

  /// Whether the page has its limit of text.
  var isPageFull: Bool { page.octets.count >= Self.pageOctets }

  /// Adds a null.
  mutating func appendNull() { page.appendNull() }

  /// Adds a number.
  mutating func append(_ value: Int64) { page.append(value, isOptional: column.isOptional) }

  /// Adds a text.
  mutating func append(_ text: RawSpan) { page.append(text, isOptional: column.isOptional) }

  /// Writes the page if it has rows.
  ///
  /// - Returns: Whether compression succeeded.
  mutating func endPage(_ compressor: FrameCompressor) -> Bool {
    guard page.rowCount > 0 else { return true }
    var octets: [UInt8] = []
    if column.isOptional {
      var levels: [UInt8] = []
      RunLengths.append(page.levels, width: 1, to: &levels)
      octets.append(littleEndian: UInt64(levels.count), count: 4)
      octets += levels
    }
    let encoding = appendValues(to: &octets)
    statistics.noteNulls(page.rowCount - page.count)
    guard let compressed = compressor.compress(octets) else { return false }
    let rows = page.rowCount
    let header = Self.header(.data, octets.count, compressed) { header in
      header.structure(5) {
        $0.integer32(1, Int32(rows))
        $0.integer32(2, encoding.rawValue)
        $0.integer32(3, Encoding.runLengths.rawValue)
        $0.integer32(4, Encoding.runLengths.rawValue)
      }
    }
    uncompressedLength += header.count + octets.count
    pages += header
    pages += compressed
    pageCounts[encoding.rawValue, default: 0] += 1
    rowCount += rows
    page.removeAll()
    return true
  }

  private mutating func appendValues(to octets: inout [UInt8]) -> Encoding {
    if isDictionaryOpen, let indices = indices() {
      let width = max(BitPacking.width(UInt64(dictionary.count - 1)), 1)
      octets.append(UInt8(width))
      RunLengths.append(indices, width: width, to: &octets)
      return .dictionary
    }
    if column.kind == .text {
      for index in page.ends.indices {
        let range = page.range(index)
        octets.append(littleEndian: UInt64(range.count), count: 4)
        octets.append(contentsOf: page.octets[range])
        statistics.note(page.octets[range])
      }
      return .plain
    }
    for value in page.integers { statistics.note(value) }
    if column.kind != .millionths, !page.integers.isEmpty {
      Deltas.append(page.integers, to: &octets)
      return .deltas
    }
    for value in page.integers { column.append(value, to: &octets) }
    return .plain
  }

  /// The positions of the page's values in the dictionary. Nil if they do not fit, which ends the dictionary.
  private mutating func indices() -> [UInt32]? {
    // A page without values needs no positions, and does not show whether the dictionary pays.
    guard page.count > 0 else { return nil }
    let before = dictionary.count
    var indices: [UInt32] = []
    indices.reserveCapacity(page.count)
    for position in 0..<page.count {
      let index =
        column.kind == .text
        ? dictionary.index(of: page.range(position), in: page.octets) : dictionary.index(of: page.integers[position])
      guard let index else { break }
      indices.append(index)
    }
    guard indices.count == page.count, (dictionary.count - before) * 2 <= page.count else {
      isDictionaryOpen = false
      dictionary.shorten(to: before)
      return nil
    }
    for index in before..<dictionary.count {
      if column.kind == .text {
        statistics.note(dictionary.octets[dictionary.range(index)])
      } else {
        statistics.note(dictionary.integers[index])
      }
    }
    return indices
  }

  /// Ends the chunk: its octets, the dictionary first, and its description. No page may be unfinished.
  ///
  /// - Parameters:
  ///   - offset: The chunk's offset in the file.
  ///   - compressor: Compresses the dictionary.
  /// - Returns: The dictionary's page, the other pages, and the fields of a `ColumnMetaData`; nil if compression failed.
  func finished(at offset: Int, _ compressor: FrameCompressor) -> FinishedChunk? {
    var dictionaryPage: [UInt8] = []
    var uncompressedLength = uncompressedLength
    if dictionary.count > 0 {
      var octets: [UInt8] = []
      for index in 0..<dictionary.count {
        guard column.kind == .text else {
          column.append(dictionary.integers[index], to: &octets)
          continue
        }
        let range = dictionary.range(index)
        octets.append(littleEndian: UInt64(range.count), count: 4)
        octets.append(contentsOf: dictionary.octets[range])
      }
      guard let compressed = compressor.compress(octets) else { return nil }
      let count = dictionary.count
      let header = Self.header(.dictionary, octets.count, compressed) { header in
        header.structure(7) {
          $0.integer32(1, Int32(count))
          $0.integer32(2, Encoding.plain.rawValue)
        }
      }
      uncompressedLength += header.count + octets.count
      dictionaryPage = header + compressed
    }
    return FinishedChunk(
      dictionaryPage: dictionaryPage, pages: pages,
      description: description(offset, dictionaryPage.count, uncompressedLength),
      uncompressedLength: uncompressedLength)
  }

  /// Writes a `ColumnChunk` of the metadata.
  private func description(_ offset: Int, _ dictionaryLength: Int, _ uncompressedLength: Int) -> [UInt8] {
    let counts = pageCounts.sorted { $0.key < $1.key }
    let hasDictionary = dictionaryLength > 0
    var kinds = counts.map { (type: PageType.data, encoding: $0.key, count: $0.value) }
    if hasDictionary { kinds.insert((.dictionary, Encoding.plain.rawValue, 1), at: 0) }
    var thrift = CompactWriter()
    thrift.structure { chunk in
      chunk.integer64(2, 0)
      chunk.structure(3) { data in
        data.integer32(1, column.type)
        data.integers(2, Set(counts.map(\.key) + [Encoding.plain.rawValue, Encoding.runLengths.rawValue]).sorted())
        data.texts(3, [column.name])
        data.integer32(4, Self.codec)
        data.integer64(5, rowCount)
        data.integer64(6, uncompressedLength)
        data.integer64(7, dictionaryLength + pages.count)
        data.integer64(9, offset + dictionaryLength)
        if hasDictionary { data.integer64(11, offset) }
        data.structure(12) { statistics.write(of: column, to: &$0) }
        data.structures(13, count: kinds.count) { entry, index in
          entry.integer32(1, kinds[index].type.rawValue)
          entry.integer32(2, kinds[index].encoding)
          entry.integer32(3, Int32(kinds[index].count))
        }
      }
    }
    return thrift.octets
  }

  private static func header(
    _ type: PageType, _ length: Int, _ compressed: [UInt8], _ body: (inout CompactWriter) -> Void
  ) -> [UInt8] {
    var thrift = CompactWriter()
    thrift.structure {
      $0.integer32(1, type.rawValue)
      $0.integer32(2, Int32(length))
      $0.integer32(3, Int32(compressed.count))
      $0.integer32(4, Int32(bitPattern: Checksum.of(compressed)))
      body(&$0)
    }
    return thrift.octets
  }
}

/// A column of a row group, as in the file.
struct FinishedChunk {
  /// The page of the dictionary; empty without one.
  let dictionaryPage: [UInt8]
  /// The other pages.
  let pages: [UInt8]
  /// A `ColumnChunk` of the metadata.
  let description: [UInt8]
  /// Octets before compression.
  let uncompressedLength: Int

  /// Octets in the file.
  var length: Int { dictionaryPage.count + pages.count }
}
