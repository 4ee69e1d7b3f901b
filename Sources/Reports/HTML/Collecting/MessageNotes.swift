import ContentCodings
import HTTPReassembly
import Shared

/// What the page has to know of one message beyond its row.
struct MessageNotes {
  /// A field line of its header section.
  struct Field {
    /// Position in `PageObserver.fieldNames`.
    var name: Int
    /// A hash of the line.
    var hash: Int
    /// Octets of the line with its CRLF.
    var length: Int
  }

  /// Request, final or interim response.
  var kind = MessageKind.request
  /// Its field lines, as far as there was room for them.
  var fields: [Field] = []
  /// Whether its content is coded, or of a type that gzip does not make smaller.
  var isCompressed = false
  /// The content so far; of responses only.
  var hasher = Hasher()
  /// Octets of the content so far.
  var contentLength = 0
  /// Compresses the content.
  var compressor: GzipLength?
  /// Whether some content came when there was no compressor for it.
  var isUncompressed = false
  /// A hash of the whole content without its codings; nil when it is empty or was not seen whole.
  var contentHash: Int?
  /// Octets that gzip makes of the whole content; nil when it is compressed already, empty, or was not seen whole.
  var gzipLength: Int?
}
