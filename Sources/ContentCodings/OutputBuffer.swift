// Unsafe: owns the memory into which the C libraries write what they decode. They are given its start and its capacity,
// and a span over what they say they wrote is lent for the length of a call.

/// Where decoded octets lie between a coding and whoever takes them next.
@safe
final class OutputBuffer {
  /// In octets. zlib copies the last 32 KiB of each call's output to its window, so that with less than this it would
  /// copy most octets; more than this was not faster when measured.
  static let capacity = 64 << 10

  /// The first of `capacity` octets, for the C libraries to write to.
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

/// Buffers shared by all decoders of one source: one is needed only while octets pass through a stage, so that there are
/// as many as stages that ever fed one another, however many messages are open.
final class OutputBuffers {
  private var unused: [OutputBuffer] = []

  /// A buffer that nobody else uses until it is returned.
  func take() -> OutputBuffer {
    unused.popLast() ?? OutputBuffer()
  }

  /// Takes a buffer back.
  func giveBack(_ buffer: OutputBuffer) {
    unused.append(buffer)
  }
}
