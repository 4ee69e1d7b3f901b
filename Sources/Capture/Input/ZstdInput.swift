import CZstd

/// The content of a Zstandard file of any number of frames (RFC 8878 §3). Unsafe sites: libzstd's context, and the
/// buffers whose addresses it is given.
@safe final class ZstdInput: OctetSource {
  private let file: FileInput
  private let input: UnsafeMutableRawBufferPointer
  private let context: OpaquePointer
  private let memory: ZstdMemory
  /// Octets that the context holds, as counted in `memory`.
  private var held = 0
  /// Binary logarithm of the largest window that the current frame may have, in octets.
  private var windowLog = ZstdMemory.windowLogLimit
  private var inputStart = 0
  private var inputEnd = 0
  /// Octets produced so far.
  private var produced = 0
  /// Whether the last frame ended, so that the end of the file is regular.
  private var isBetweenFrames = true
  private var fault: CaptureError.Problem?

  /// Prepares to decompress a file. All captures that are read at once share `memory`.
  init(file: FileInput, memory: ZstdMemory) throws(CaptureError) {
    self.file = file
    self.memory = memory
    guard let context = unsafe ZSTD_createDStream() else {
      throw CaptureError(file: file.name, problem: .outOfMemory)
    }
    unsafe self.context = context
    unsafe input = .allocate(byteCount: ZSTD_DStreamInSize(), alignment: 16)
  }

  deinit {
    unsafe ZSTD_freeDStream(context)
    memory.count(0, before: held)
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
      if isBetweenFrames {
        if let found = try faultOfFrame() {
          fault = found
          break
        }
        limitWindow()
      }
      var pending = unsafe ZSTD_inBuffer(src: input.baseAddress, size: inputEnd, pos: inputStart)
      // At the end this only asks for octets that the decoder may still hold.
      let status = unsafe ZSTD_decompressStream(context, &output, &pending)
      inputStart = unsafe pending.pos
      countMemory()
      if ZSTD_isError(status) != 0 {
        fault = problem(status)
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

  /// Sets the limit of the next frame's window: the library then refuses a larger one, and allocates nothing for it.
  private func limitWindow() {
    windowLog = memory.windowLog(of: held)
    _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(windowLog))
  }

  private func countMemory() {
    let size = unsafe ZSTD_sizeof_DCtx(context)
    memory.count(size, before: held)
    held = size
  }

  /// The reason why the library stopped.
  private func problem(_ status: Int) -> CaptureError.Problem {
    switch ZSTD_getErrorCode(status) {
    case ZSTD_error_frameParameter_windowTooLarge:
      .unsupported(ZstdMemory.refusal(of: file.name, windowLog: windowLog))
    case ZSTD_error_memory_allocation: .outOfMemory
    default: unsafe .compressionCorrupt(String(cString: ZSTD_getErrorName(status)))
    }
  }

  private func error(_ problem: CaptureError.Problem) -> CaptureError {
    // A frame that is sound is not at fault anywhere.
    if case .unsupported = problem { return CaptureError(file: file.name, problem: problem) }
    return CaptureError(file: file.name, offset: produced, isDecompressedOffset: true, problem: problem)
  }
}
