import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// A cell that was made before is the cell that would be made now.
@Suite struct TextCellsTests {
  private func row(_ text: [UInt8], _ write: (inout CSVRow, [UInt8]) -> Void) -> [UInt8] {
    var row = CSVRow(redaction: nil)
    write(&row, text)
    return row.octets
  }

  /// Pools come and go, so that the memory of texts that are gone holds other texts of the same length.
  @Test func memoryThatIsUsedAgainIsNotMistaken() {
    var generator = SeededRandom(seed: 11)
    var cached = CSVRow(redaction: nil)
    var json = JSONRow([.text("text")], redaction: nil)
    for _ in 0..<RandomCases.count(400) {
      var texts = TextPool()
      let ids = (0..<10).map { _ in
        texts.intern((0..<24).map { _ in UInt8.random(in: 0x1f...0x7f, using: &generator) })
      }
      for _ in 0..<40 {
        guard let id = ids.randomElement(using: &generator) else { continue }
        cached.begin()
        cached.text(id, texts)
        #expect(cached.octets == row(texts.octets(id)) { $0.text($1) })
        json.begin()
        json.text(id, texts)
        json.end()
        var plain = JSONRow([.text("text")], redaction: nil)
        plain.begin()
        plain.text(texts.octets(id))
        plain.end()
        let (octets, expected) = (json.octets, plain.octets)
        #expect(octets == expected)
      }
    }
  }

  /// More cells than the table has memory for, and texts that are too long for it.
  @Test func theTableStartsAnew() {
    var texts = TextPool()
    var ids: [TextID] = []
    for number in 0..<4000 {
      ids.append(texts.intern("/\(number)/" + String(repeating: "\"x", count: 1 + number % 150)))
    }
    var cached = CSVRow(redaction: nil)
    for id in ids + ids {
      cached.begin()
      cached.text(id, texts)
      #expect(cached.octets == row(texts.octets(id)) { $0.text($1) })
    }
  }

  /// A part of a text begins where the whole one does.
  @Test func aPartOfATextIsAnother() throws {
    let text = Array("abcdef".utf8)
    var cells = TextCells()
    var buffer = RowBuffer()
    buffer.append(text)
    cells.remember(text, cellFrom: 0, of: buffer)
    let found = text.withOctets { [cells.cell(of: $0), cells.cell(of: $0.extracting(0..<3))] }
    cells.append(try #require(found[0]), to: &buffer)
    #expect(found[1] == nil)
    #expect(buffer.octets == text + text)
  }
}
