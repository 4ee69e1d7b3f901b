import CZstd

/// The content of a Zstandard file of any number of frames (RFC 8878 §3). Unsafe sites: libzstd's context, and the
/// buffers whose addresses it is given.
@safe final class ZstdInput: OctetSource {
  private let file: FileInput
  private let input: UnsafeMutableRawBufferPointer
  private let context: OpaquePointer
  private var inputStart = 0
  private var inputEnd = 0
  /// Octets produced so far.
  private var produced = 0
  /// Whether the last frame ended, so that the end of the file is regular.
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
    // Some output is enough, because a stream's packets should not wait for a full buffer.
    while unsafe output.pos == 0 {
      var isAtEnd = false
      if inputStart == inputEnd {
        inputEnd = try unsafe file.read(into: input)
        inputStart = 0
        isAtEnd = inputEnd == 0
      }
      if isAtEnd && isBetweenFrames { return 0 }
      if isBetweenFrames, let found = try faultOfFrame() {
        fault = found
        break
      }
      var pending = unsafe ZSTD_inBuffer(src: input.baseAddress, size: inputEnd, pos: inputStart)
      // At the end this only asks for octets that the decoder may still hold.
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

  /// The reason why neither a frame nor a skippable frame begins at `inputStart` (RFC 8878 §3.1.1, §3.1.2); nil if one does.
  ///
  /// The library also accepts frames of its early versions, and some of those decoders return uninitialized memory.
  private func faultOfFrame() throws(CaptureError) -> CaptureError.Problem? {
    while inputEnd - inputStart < 4 {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: input[inputStart..<inputEnd])
      unsafe input.copyMemory(from: UnsafeRawBufferPointer(rest))
      inputEnd -= inputStart
      inputStart = 0
      let count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: input[inputEnd...]))
      guard count > 0 else { return .compressionCut }
      inputEnd += count
    }
    let magic = unsafe UInt32(
      littleEndian: UnsafeRawBufferPointer(input).loadUnaligned(fromByteOffset: inputStart, as: UInt32.self))
    guard magic != 0xfd2f_b528, magic & 0xffff_fff0 != 0x184d_2a50 else { return nil }
    return unsafe .compressionCorrupt(String(cString: ZSTD_getErrorString(ZSTD_error_prefix_unknown)))
  }

  private func error(_ problem: CaptureError.Problem) -> CaptureError {
    CaptureError(file: file.name, offset: produced, isDecompressedOffset: true, problem: problem)
  }
}
