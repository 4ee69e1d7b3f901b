/// The framing of a body that is sent with the chunked transfer coding (RFC 9112, section 7.1).
///
/// Formula: for each chunk its size in hexadecimal digits + CRLF before and CRLF after it, and `0` CRLF CRLF at the end.
/// libcurl makes one chunk of each piece that it reads from the body, and the URL loading system reports each piece as it
/// reads it, so on Linux the figure is exact for a body that is sent whole.
///
/// Cannot be known: the chunks of CFNetwork, and those of a response on any platform. Both are left out, and the record
/// says so.
struct ChunkFraming: Equatable, Sendable {
  /// The octets so far, without the last chunk.
  private var chunks = 0

  /// Adds a chunk of this many octets of content.
  mutating func add(_ octets: Int) {
    if octets > 0 { chunks += String(octets, radix: 16).utf8.count + 4 }
  }

  /// The octets of the framing of a body that was cut off before its end.
  var octetsOfChunks: Int { chunks }

  /// The octets of the framing of the whole body.
  var octets: Int { chunks + 5 }
}
