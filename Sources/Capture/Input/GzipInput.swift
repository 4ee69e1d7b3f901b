import CZlib

/// The content of a gzip file of any number of members (RFC 1952 §2.2). Unsafe sites: zlib's stream structure, and the
/// buffers whose addresses it holds.
@safe final class GzipInput: OctetSource {
  /// Compressed octets read at once.
  private static let inputLength = 256 << 10

  private let file: FileInput
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputLength, alignment: 16)
  /// On the heap, because zlib keeps its address and refuses a stream that moved.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  /// Octets produced so far.
  private var produced = 0
  /// Whether the last member ended, so that the end of the file is regular.
  private var isBetweenMembers = false
  private var fault: CaptureError.Problem?

  init(file: FileInput) throws(CaptureError) {
    self.file = file
    unsafe stream.initialize(to: z_stream())
    // 15 is the largest window, and 16 more asks for the gzip wrapper.
    let status = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw error(problem(status)) }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe input.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    if let fault { throw error(fault) }
    unsafe stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(clamping: buffer.count)
    let room = unsafe Int(stream.pointee.avail_out)
    // Some output is enough, because a stream's packets should not wait for a full buffer.
    while unsafe Int(stream.pointee.avail_out) == room {
      guard try refill() else {
        if isBetweenMembers { return 0 }
        throw error(.compressionCut)
      }
      guard !isBetweenMembers || startMember() else { continue }
      let status = unsafe inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END {
        isBetweenMembers = true
      } else if status != Z_OK && status != Z_BUF_ERROR {
        fault = problem(status)
        break
      }
    }
    let count = unsafe room - Int(stream.pointee.avail_out)
    produced += count
    if count == 0, let fault { throw error(fault) }
    return count
  }

  /// Refills the input if it is empty; false at the end of the file.
  private func refill() throws(CaptureError) -> Bool {
    if unsafe stream.pointee.avail_in > 0 { return true }
    let count = try unsafe file.read(into: input)
    unsafe stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_in = UInt32(count)
    return count > 0
  }

  /// Starts the next member. False if only zeros follow, which tape and block devices pad with.
  private func startMember() -> Bool {
    while unsafe stream.pointee.avail_in > 0, let next = unsafe stream.pointee.next_in, unsafe next.pointee == 0 {
      unsafe stream.pointee.next_in = unsafe next + 1
      unsafe stream.pointee.avail_in -= 1
    }
    guard unsafe stream.pointee.avail_in > 0 else { return false }
    unsafe inflateReset(stream)
    isBetweenMembers = false
    return true
  }

  /// The reason why the library stopped.
  private func problem(_ status: Int32) -> CaptureError.Problem {
    if status == Z_MEM_ERROR { return .outOfMemory }
    return .compressionCorrupt(unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib status \(status)")
  }

  private func error(_ problem: CaptureError.Problem) -> CaptureError {
    CaptureError(file: file.name, offset: produced, isDecompressedOffset: true, problem: problem)
  }
}
