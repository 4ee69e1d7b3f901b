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

/// The names of fields, in lower case, each with a small number.
struct FieldNames {
  /// By number. 0 stands for all that came after the limit, that are too long, or that are no names.
  private(set) var names: [[UInt8]] = [[]]
  private var numbers: [[UInt8]: Int] = [:]

  /// The number of the name that is at `range` of a field line; names are case-insensitive (RFC 9110 §5.1).
  mutating func number(of range: Range<Int>?, in line: RawSpan) -> Int {
    guard let range, range.count <= PageLimits.fieldNameLength else { return 0 }
    var name: [UInt8] = []
    line.append(range, to: &name)
    for index in name.indices where name[index] &- UInt8(ascii: "A") < 26 { name[index] |= 0x20 }
    if let number = numbers[name] { return number }
    guard names.count <= PageLimits.fieldNames else { return 0 }
    numbers[name] = names.count
    names.append(name)
    return names.count - 1
  }
}

/// Which contents gzip does not make smaller, so that trying is a waste of time.
enum ContentKind {
  /// Starts of media types whose formats compress by themselves.
  private static let compressedTypes: [StaticString] = [
    "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/heic", "video/", "audio/", "font/woff",
    "application/font-woff", "application/zip", "application/gzip", "application/x-gzip", "application/zstd",
  ]

  /// Whether a field says that the content is compressed; `name` is in lower case.
  static func isCompressed(_ name: [UInt8], _ value: RawSpan) -> Bool {
    if name == Array("content-encoding".utf8) { return value.byteCount > 0 && !starts(value, with: "identity") }
    guard name == Array("content-type".utf8) else { return false }
    return compressedTypes.contains { starts(value, with: $0) }
  }

  private static func starts(_ value: RawSpan, with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard value.byteCount >= length else { return false }
    // Media types and codings are case-insensitive (RFC 9110 §8.3.1, §8.4.1).
    return (0..<length).allSatisfy { index in
      let octet = value.octet(index)
      return (octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet) == text.octet(index)
    }
  }
}
