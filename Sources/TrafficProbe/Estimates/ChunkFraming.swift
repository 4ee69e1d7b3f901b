/// The framing of a body that is sent with the chunked transfer coding (RFC 9112, section 7.1).
///
/// Formula: for each chunk, its size in hexadecimal digits, CRLF before it and CRLF after it; at the end `0` CRLF CRLF.
///
/// libcurl makes one chunk of each piece that it reads from the body. The URL loading system reports each piece as it reads it.
/// So on Linux the figure is exact for a body that is sent whole.
///
/// Cannot be known: the chunks of CFNetwork, and a response's chunks on any platform. Both are left out, and the record says so.
struct ChunkFraming: Equatable, Sendable {
  /// The octets so far, without the last chunk.
  private var chunks = 0

  /// Adds a chunk of this many octets of content.
  mutating func add(_ octets: Int) {
    if octets > 0 { chunks += String(octets, radix: 16).utf8.count + 4 }
  }

  /// The octets of the framing of a body that was cut before its end.
  var octetsOfChunks: Int { chunks }

  /// The octets of the framing of the whole body.
  var octets: Int { chunks + 5 }
}
