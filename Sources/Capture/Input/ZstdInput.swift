import CZstd

/// The content of a Zstandard file of any number of frames (RFC 8878 §3). Unsafe sites: libzstd's context, and the
/// buffers whose addresses it is given.
@safe final class ZstdInput: OctetSource {
  private let file: FileInput
  private let input: UnsafeMutableRawBufferPointer
  private let context: OpaquePointer
  private var inputStart = 0
  private var inputEnd = 0
  /// Octets given so far.
  private var produced = 0
  /// Whether the last frame ended, so that the end of the file is no cut.
  private var isBetweenFrames = true
  private var fault: CaptureError.Problem?

  init(file: FileInput) throws(CaptureError) {
    self.file = file
    guard let context = unsafe ZSTD_createDStream() else {
      throw CaptureError(file: file.name, problem: .compressionCorrupt("libzstd does not start"))
    }
    unsafe self.context = context
    unsafe input = .allocate(byteCount: ZSTD_DStreamInSize(), alignment: 16)
  }

  deinit {
    unsafe ZSTD_freeDStream(context)
    unsafe input.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    if let fault { throw error(fault) }
    var output = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
    // Some output is enough: a stream's packets should not wait for a full buffer.
    while unsafe output.pos == 0 {
      var isAtEnd = false
      if inputStart == inputEnd {
        inputEnd = try unsafe file.read(into: input)
        inputStart = 0
        isAtEnd = inputEnd == 0
      }
      if isAtEnd && isBetweenFrames { return 0 }
      var pending = unsafe ZSTD_inBuffer(src: input.baseAddress, size: inputEnd, pos: inputStart)
      // At the end this only asks for what the decoder may still hold.
      let status = unsafe ZSTD_decompressStream(context, &output, &pending)
      inputStart = unsafe pending.pos
      if ZSTD_isError(status) != 0 {
        fault = unsafe .compressionCorrupt(String(cString: ZSTD_getErrorName(status)))
        break
      }
      isBetweenFrames = status == 0
      if unsafe isAtEnd && !isBetweenFrames && output.pos == 0 {
        fault = .compressionCut
        break
      }
    }
    let count = unsafe output.pos
    produced += count
    if count == 0, let fault { throw error(fault) }
    return count
  }

  private func error(_ problem: CaptureError.Problem) -> CaptureError {
    CaptureError(file: file.name, offset: produced, isDecompressedOffset: true, problem: problem)
  }
}
