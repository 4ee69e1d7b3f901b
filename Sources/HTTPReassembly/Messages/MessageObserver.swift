/// Receives the text and content of messages while they pass, for reports that need more than lengths.
///
/// The analysis stores none of it, and without an observer it costs nothing. Messages of many connections come interleaved, so each call
/// names its message by number. Each message comes in this order: start-line (an HTTP/0.9 response has none), field lines, content, and one
/// end. Its row comes to the `ReportSink` later, when no more packets can be charged to it. Octets are valid only during the call. An
/// observer must limit how much it keeps, since all input comes from the wire.
public protocol MessageObserver: AnyObject {
  /// A message starts with `line`, without terminator.
  func startLine(_ line: RawSpan, of message: Int, kind: MessageKind)
  /// Takes a field line of the header section (RFC 9112 §5), unfolded, without terminator. `name` and `value` are ranges in it, without
  /// whitespace around. Both are nil if the line is no field line. Trailer fields are not passed.
  func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int)
  /// Takes octets of the content as transferred: without chunk framing, with its content codings.
  func content(_ octets: RawSpan, of message: Int)
  /// Takes octets of the content without its codings. Only `end` tells whether they are valid. Contents whose codings are not removed do
  /// not come.
  func decodedContent(_ octets: RawSpan, of message: Int)
  /// Ends the message. `decodedLength` is the length of its whole decoded content in octets; nil if the content was not seen whole or could
  /// not be decoded.
  func end(of message: Int, decodedLength: Int?)
  /// Octets of memory that it holds for messages whose rows are not final. Connections give way for them, as for what the analysis holds of
  /// these messages itself. By default 0.
  var memory: Int { get }
}

extension MessageObserver {
  /// The default: it holds nothing that grows.
  public var memory: Int { 0 }
}
