import HTTPReassembly

/// One coding being taken off one message's content. Codings applied on top of one another make a row of stages.
protocol CodingStage: AnyObject {
  /// Decodes `octets`, which are not empty, and lends what comes out to `output`, one buffer at a time.
  ///
  /// `output` returns false when nothing more is wanted; decoding then stops where it is. After that, and after a
  /// failure, only `reset` may follow.
  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure?

  /// Whether a few octets may make any number of octets, and not only `Inflater.largestRatio` for each.
  var isUnbounded: Bool { get }

  /// Whether the octets taken so far make a whole coded stream.
  var end: StreamEnd { get }

  /// Makes ready for another message.
  func reset()
}

/// Whether a coded stream has come to its end.
enum StreamEnd {
  /// Octets are still to come.
  case missing
  /// The last octet taken was the stream's last.
  case reached
  /// The stream ended, and octets followed that belong to no stream.
  case followedByJunk
}
