import HTTPReassembly

/// Removes one coding from one message's content. Codings on top of one another make a row of stages.
protocol CodingStage: AnyObject {
  /// Decodes `octets`, which are not empty, and lends the output to `output`, one buffer at a time.
  ///
  /// `output` returns false to stop decoding. After this, and after a failure, only `reset` may follow.
  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure?

  /// Whether a few octets may produce any number of octets, beyond `Inflater.largestRatio` for each.
  var isUnbounded: Bool { get }

  /// Octets that it may have made and not lent, because it failed first.
  var unlent: Int { get }

  /// The state of the coded stream after the octets taken so far.
  var end: StreamEnd { get }

  /// Prepares for another message.
  func reset()
}

extension CodingStage {
  /// The default: so few that they need no count.
  var unlent: Int { 0 }
}

/// Whether a coded stream has ended.
enum StreamEnd {
  /// The end is still to come.
  case missing
  /// The last octet taken was the last of the stream.
  case reached
  /// The stream ended, and octets of no stream followed.
  case followedByJunk
}
