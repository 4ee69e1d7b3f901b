/// Sees what messages say while they pass: for reports that need more than lengths.
///
/// The analysis stores nothing of it, and without an observer it costs nothing. Messages of many connections come
/// interleaved, so each call names its message by number. For each message, in this order: its start-line (an HTTP/0.9
/// response has none), its field lines, its content, and its end, once; its row comes to the `ReportSink` later, when no
/// more packets can be charged to it. Octets are valid during the call only. An observer that collects must bound what
/// it keeps: everything comes from the wire.
public protocol MessageObserver: AnyObject {
  /// A message starts with `line`, without terminator.
  func startLine(_ line: RawSpan, of message: Int, kind: MessageKind)
  /// A field line of the header section (RFC 9112 §5), unfolded, without terminator. `name` and `value` are ranges in it,
  /// without whitespace around; both are nil when the line is no field line. Trailer fields do not come.
  func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int)
  /// Octets of the content as transferred: chunk framing is off, content coding on.
  func content(_ octets: RawSpan, of message: Int)
  /// Octets of the content without its codings. They are not known to be good before `end` says so. Nothing comes for
  /// codings that are not taken off.
  func decodedContent(_ octets: RawSpan, of message: Int)
  /// No more octets of the message come. `decodedLength` is the number of octets of its whole decoded content; nil when
  /// the content was not seen whole or could not be decoded.
  func end(of message: Int, decodedLength: Int?)
}
