// Unsafe: owns the memory into which the C libraries write their output. They get its start and its capacity. A span over the written
// octets is lent for one call.

/// The place of decoded octets between a coding and their next user.
@safe
final class OutputBuffer {
  /// The capacity in octets. With a smaller buffer, zlib would copy most octets: it copies the last 32 KiB of each call's output to its
  /// window. A larger buffer was not faster when measured.
  static let capacity = 64 << 10

  /// The first of `capacity` octets, where the C libraries write.
  let start: UnsafeMutablePointer<UInt8>

  init() {
    unsafe start = .allocate(capacity: Self.capacity)
  }

  deinit {
    unsafe start.deallocate()
  }

  /// Lends the first `count` octets, which must have been written.
  func withOctets<Result>(first count: Int, _ body: (RawSpan) -> Result) -> Result {
    precondition(0...Self.capacity ~= count)
    let written = unsafe UnsafeRawBufferPointer(start: start, count: count)
    return body(unsafe written.bytes)
  }
}

/// Buffers shared by all decoders of one source. A buffer is needed only while octets pass through a stage. So there are only as many as
/// stages that feed one another, for any number of open messages.
final class OutputBuffers {
  private var unused: [OutputBuffer] = []

  /// A buffer for exclusive use until it is returned.
  func take() -> OutputBuffer {
    unused.popLast() ?? OutputBuffer()
  }

  /// Takes a buffer back.
  func giveBack(_ buffer: OutputBuffer) {
    unused.append(buffer)
  }
}
