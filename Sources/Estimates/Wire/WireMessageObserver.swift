import ContentCodings
import HTTPReassembly
import Shared

/// Gathers facts from the messages in progress until their rows are final.
///
/// Memory: at most `headerLimit` octets and `fieldLimit` field lines a message, `totalLimit` octets in all, and `compressorLimit`
/// compressors of some 330 KiB. A capture that needs more loses fields (`isHeaderCut`) or gzip lengths, never counts.
final class WireMessageObserver: MessageObserver {
  /// Octets kept of one message's start-line and header section: twice the limit of most servers.
  static let headerLimit = 64 << 10
  /// Field lines kept of one message: servers accept at most 100 to 200.
  static let fieldLimit = 1000
  /// Octets kept of all messages whose rows are not final yet.
  static let totalLimit = 64 << 20
  /// Messages whose content is compressed at the same time: many times the connections of an app.
  static let compressorLimit = 128

  private struct Gathered {
    var isRequest = false
    var startLine: [UInt8] = []
    var fields: [WireField] = []
    var isHeaderCut = false
    var length = 0
    var compressor: GzipLength?
    var hasContentEncoding = false
    var gzipLength: Int?
    /// The characters of the decoded content so far.
    var text = TextCount()
    /// Whether some content came before it had a compressor.
    var isUncompressed = false
  }

  private var messages: [Int: Gathered] = [:]
  private var totalLength = 0
  private var idleCompressors: [GzipLength] = []
  private var compressorCount = 0

  func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) {
    var gathered = Gathered()
    gathered.isRequest = kind == .request
    if hasRoom(for: line.byteCount, in: gathered) {
      line.append(0..<line.byteCount, to: &gathered.startLine)
      add(line.byteCount, to: &gathered)
    } else {
      gathered.isHeaderCut = true
    }
    messages[message] = gathered
  }

  func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {
    guard let index = messages.index(forKey: message) else { return }
    guard messages.values[index].fields.count < Self.fieldLimit,
      hasRoom(for: line.byteCount, in: messages.values[index])
    else {
      messages.values[index].isHeaderCut = true
      return
    }
    var field = WireField(name: [], value: [], lineLength: line.byteCount)
    if let name { line.append(name, to: &field.name) }
    line.append(value ?? 0..<line.byteCount, to: &field.value)
    if field.isNamed("content-encoding"), !field.value.isEmpty { messages.values[index].hasContentEncoding = true }
    messages.values[index].fields.append(field)
    add(line.byteCount, to: &messages.values[index])
  }

  func content(_ octets: RawSpan, of message: Int) {
    guard let index = messages.index(forKey: message), messages.values[index].isRequest else { return }
    compress(octets, index)
  }

  func decodedContent(_ octets: RawSpan, of message: Int) {
    guard let index = messages.index(forKey: message) else { return }
    messages.values[index].text.add(octets)
    if !messages.values[index].isRequest { compress(octets, index) }
  }

  func end(of message: Int, decodedLength: Int?) {
    guard let index = messages.index(forKey: message), let compressor = messages.values[index].compressor else {
      return
    }
    messages.values[index].compressor = nil
    let length = compressor.finish()
    idleCompressors.append(compressor)
    if decodedLength != nil || messages.values[index].isRequest { messages.values[index].gzipLength = length }
  }

  /// The facts about the message of `row`, which are then forgotten.
  func take(_ row: Message) -> WireMessage {
    var message = WireMessage(row: row)
    end(of: row.number, decodedLength: row.decodedBody)
    guard let gathered = messages.removeValue(forKey: row.number) else { return message }
    totalLength -= gathered.length
    message.startLine = gathered.startLine
    message.fields = gathered.fields
    message.isHeaderCut = gathered.isHeaderCut
    if row.exactness == .exact {
      message.gzipLength = gathered.gzipLength
      if row.decodedBody == gathered.text.octets, let text = gathered.text.counts {
        (message.characters, message.utf16Units) = text
      }
    }
    return message
  }

  // MARK: Limits

  private func hasRoom(for length: Int, in gathered: Gathered) -> Bool {
    gathered.length + length <= Self.headerLimit && totalLength + length <= Self.totalLimit
  }

  private func add(_ length: Int, to gathered: inout Gathered) {
    gathered.length += length
    totalLength += length
  }

  private func compress(_ octets: RawSpan, _ index: Dictionary<Int, Gathered>.Index) {
    guard messages.values[index].hasContentEncoding, !messages.values[index].isUncompressed else { return }
    if messages.values[index].compressor == nil {
      guard let compressor = idleCompressors.popLast() ?? newCompressor() else {
        messages.values[index].isUncompressed = true
        return
      }
      messages.values[index].compressor = compressor
    }
    messages.values[index].compressor?.feed(octets)
  }

  private func newCompressor() -> GzipLength? {
    guard compressorCount < Self.compressorLimit else { return nil }
    compressorCount += 1
    return GzipLength()
  }
}
