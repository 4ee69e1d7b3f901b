import ContentCodings
import HTTPReassembly
import Shared

/// Notes what messages say, until their rows are final. Values and content are hashed or compressed, never kept.
final class PageObserver: MessageObserver {
  /// What was passed over because a limit was reached.
  struct Unread {
    /// Messages about which nothing but their lengths is known.
    var messages = 0
    /// Field lines that are in no figure about fields.
    var fields = 0
    /// Contents that were not compressed to learn what gzip makes of them.
    var contents = 0
  }

  /// Names of the fields that were seen.
  private(set) var fieldNames = FieldNames()
  /// What was passed over.
  private(set) var unread = Unread()
  private var messages: [Int: MessageNotes] = [:]
  private var fieldsInProgress = 0
  private var idleCompressors: [GzipLength] = []
  private var compressorCount = 0

  func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) {
    guard messages.count < PageLimits.messagesInProgress else {
      unread.messages += 1
      return
    }
    messages[message] = MessageNotes()
    messages[message]?.kind = kind
  }

  func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {
    guard let index = messages.index(forKey: message) else { return }
    guard messages.values[index].fields.count < PageLimits.fieldsPerMessage,
      fieldsInProgress < PageLimits.fieldsInProgress
    else {
      unread.fields += 1
      return
    }
    var hasher = Hasher()
    line.hash(into: &hasher)
    let number = fieldNames.number(of: name, in: line)
    messages.values[index].fields.append(.init(name: number, hash: hasher.finalize(), length: line.byteCount + 2))
    fieldsInProgress += 1
    if let value, ContentKind.isCompressed(fieldNames.names[number], line.extracting(value)) {
      messages.values[index].isCompressed = true
    }
  }

  func content(_ octets: RawSpan, of message: Int) {
    guard let index = messages.index(forKey: message), !messages.values[index].isCompressed,
      !messages.values[index].isUncompressed
    else { return }
    if messages.values[index].compressor == nil {
      guard let compressor = idleCompressors.popLast() ?? newCompressor() else {
        messages.values[index].isUncompressed = true
        unread.contents += 1
        return
      }
      messages.values[index].compressor = compressor
    }
    messages.values[index].compressor?.feed(octets)
  }

  func decodedContent(_ octets: RawSpan, of message: Int) {
    guard let index = messages.index(forKey: message), messages.values[index].kind == .response else { return }
    octets.hash(into: &messages.values[index].hasher)
    messages.values[index].contentLength += octets.byteCount
  }

  func end(of message: Int, decodedLength: Int?) {
    guard let index = messages.index(forKey: message) else { return }
    if let compressor = messages.values[index].compressor {
      messages.values[index].compressor = nil
      let length = compressor.finish()
      idleCompressors.append(compressor)
      if decodedLength != nil { messages.values[index].gzipLength = length }
    }
    if messages.values[index].contentLength > 0, decodedLength == messages.values[index].contentLength {
      messages.values[index].contentHash = messages.values[index].hasher.finalize()
    }
  }

  /// What was noted of the message of `row`; it is forgotten here.
  func take(_ row: Message) -> MessageNotes? {
    // Of a message that the capture's end cut off nothing is whole.
    end(of: row.number, decodedLength: row.decodedBody)
    guard let notes = messages.removeValue(forKey: row.number) else { return nil }
    fieldsInProgress -= notes.fields.count
    return notes
  }

  private func newCompressor() -> GzipLength? {
    guard compressorCount < PageLimits.compressors else { return nil }
    compressorCount += 1
    return GzipLength()
  }
}
