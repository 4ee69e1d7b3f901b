import HTTPReassembly

/// The compressed messages of one direction of a WebSocket in a row, each with the four octets that its sender leaves out (RFC 7692 §7.2).
///
/// They are one stream of compressed data (RFC 1951), whether or not the sender keeps its window from message to message: a sender that
/// does not keep it refers to nothing before. A message may end its stream (§7.2.3.4). The next octets are then a stream with the same
/// window.
final class MessagesStage: CodingStage {
  private let inflater: Inflater

  var isUnbounded: Bool { false }

  init(memory: WindowMemory) { inflater = Inflater(.none, memory: memory) }

  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure? {
    var position = 0
    while position < octets.byteCount {
      switch inflater.run(octets, from: &position, buffer: buffer, output: output) {
      case .unfinished: continue
      case .ended: inflater.resume()
      case .unwanted: return nil
      case .failed(let failure): return failure
      }
    }
    return nil
  }

  /// Messages may end at any time.
  var end: StreamEnd { .reached }

  func reset() { inflater.reset(.none) }
}
