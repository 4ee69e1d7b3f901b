// Unsafe: for one call, libzstd gets pointers to the caller's octets and to the output buffer, each with its length.

import CZstd
import HTTPReassembly

/// `zstd`: frames of RFC 8878 §3.1, one after another, with skippable frames among them.
///
/// The window may be as large as 128 MiB. The coding's own limit is 8 MiB (RFC 9659 §3), but `curl` and others accept the output of `zstd
/// --ultra`. The stage reads a frame's header first, to count the window before the library allocates it. A frame whose window is too large
/// takes no memory. After a frame, octets that do not begin with a frame's magic number are junk.
@safe
final class ZstandardStage: CodingStage {
  private enum Place: Equatable {
    /// In a magic number, after `count` of its octets.
    case inMagic(count: Int)
    /// In a frame's header, after its magic number.
    case inHeader
    case inFrame
    case inJunk
  }

  /// Binary logarithm of the largest window, in octets.
  static let windowLogLimit: Int32 = 27
  /// Octets of a decoder that is kept for the next message; a larger one is freed.
  static let keptLimit = 1 << 20

  private let memory: WindowMemory
  /// Exists from the first frame on.
  private var decoder: OpaquePointer?
  /// Octets that `decoder` holds, as counted in `memory`.
  private var held = 0
  /// Octets that it holds without a frame's buffers.
  private var bare = 0
  private var place = Place.inMagic(count: 0)
  private var magic: UInt32 = 0
  /// The header of the current frame, as far as it has come.
  private var header = ZstandardFrameHeader()
  private var hasFrame = false

  var isUnbounded: Bool { true }

  init(memory: WindowMemory) {
    self.memory = memory
  }

  deinit {
    free()
  }

  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure? {
    var position = 0
    while position < octets.byteCount {
      switch place {
      case .inMagic(let count):
        magic |= UInt32(octets.octet(position)) << (8 * count)
        guard Self.isMagic(magic, count: count + 1) else {
          guard hasFrame else { return .corrupt }
          place = .inJunk
          return nil
        }
        position += 1
        place = .inMagic(count: count + 1)
        guard count + 1 == 4 else { continue }
        header = ZstandardFrameHeader(magic: magic)
        if header.isSkippable {
          if let failure = beginFrame(buffer: buffer) { return failure }
        } else {
          place = .inHeader
        }
      case .inHeader:
        header.append(octets.octet(position))
        position += 1
        guard header.isWhole else { continue }
        if let failure = beginFrame(buffer: buffer) { return failure }
      case .inFrame:
        var wanted = true
        let failure = run(octets, from: &position, buffer: buffer) { made in
          wanted = output(made)
          return wanted
        }
        guard failure == nil, wanted else { return failure }
      case .inJunk:
        return nil
      }
    }
    return nil
  }

  /// Whether the first `count` octets of `magic` begin a frame (§3.1.1) or a skippable frame (§3.1.2).
  ///
  /// The library could tell, but it would also take frames of its own early versions.
  private static func isMagic(_ magic: UInt32, count: Int) -> Bool {
    let seen = ~UInt32(0) >> (32 - 8 * count)
    return (magic ^ 0xFD2F_B528) & seen == 0 || (magic ^ 0x184D_2A50) & 0xFFFF_FFF0 & seen == 0
  }

  /// Passes the frame's header to the library; its octets may have come one by one.
  private func beginFrame(buffer: OutputBuffer) -> ContentFailure? {
    if unsafe decoder == nil {
      unsafe decoder = ZSTD_createDCtx()
      guard unsafe decoder != nil else { return .beyondLimit }
      unsafe ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, Self.windowLogLimit)
      guard countMemory() else { return .beyondLimit }
      bare = held
    }
    guard header.window <= 1 << UInt64(Self.windowLogLimit), reserve(bare + header.buffers) else { return .beyondLimit }
    place = .inFrame
    return header.octets.withOctets { octets in
      var position = 0
      // A header has no output.
      return run(octets, from: &position, buffer: buffer) { _ in true }
    }
  }

  /// Counts octets that the decoder is about to hold. False if that exceeds the limit; then the decoder is freed.
  private func reserve(_ octets: Int) -> Bool {
    guard octets > held else { return true }
    guard memory.reserve(octets - held) else {
      free()
      return false
    }
    held = octets
    return true
  }

  /// Decodes a frame's octets from `position` on, and moves `position` to the first unused one.
  private func run(
    _ octets: RawSpan, from position: inout Int, buffer: OutputBuffer, output: (RawSpan) -> Bool
  ) -> ContentFailure? {
    unsafe octets.withUnsafeBytes { source in
      var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
      defer { unsafe position = input.pos }
      var made = 0
      repeat {
        var room = unsafe ZSTD_outBuffer(dst: buffer.start, size: OutputBuffer.capacity, pos: 0)
        let hint = unsafe ZSTD_decompressStream(decoder, &room, &input)
        guard countMemory() else { return .beyondLimit }
        made = unsafe room.pos
        if made > 0, !buffer.withOctets(first: made, output) { return nil }
        if ZSTD_isError(hint) != 0 { return failure(hint) }
        if hint == 0 {
          hasFrame = true
          place = .inMagic(count: 0)
          magic = 0
          return nil
        }
      } while unsafe input.pos < input.size || made == OutputBuffer.capacity
      return nil
    }
  }

  /// The reason why the library stopped.
  private func failure(_ code: Int) -> ContentFailure {
    switch ZSTD_getErrorCode(code) {
    case ZSTD_error_frameParameter_windowTooLarge, ZSTD_error_memory_allocation: .beyondLimit
    default: .corrupt
    }
  }

  /// Counts the octets that the decoder holds, which are at most the reserved ones. If another version of the library takes more, and that
  /// exceeds the limit, frees the decoder and returns false. Most of that memory has not been written yet.
  private func countMemory() -> Bool {
    let size = unsafe ZSTD_sizeof_DCtx(decoder)
    guard size == held || memory.reserve(size - held) else {
      free()
      return false
    }
    held = size
    return true
  }

  var end: StreamEnd {
    switch place {
    case .inMagic(count: 0) where hasFrame: .reached
    case .inMagic, .inHeader, .inFrame: .missing
    case .inJunk: .followedByJunk
    }
  }

  func reset() {
    if held > Self.keptLimit {
      free()
    } else if unsafe decoder != nil {
      unsafe ZSTD_DCtx_reset(decoder, ZSTD_reset_session_only)
    }
    place = .inMagic(count: 0)
    magic = 0
    hasFrame = false
  }

  private func free() {
    unsafe ZSTD_freeDCtx(decoder)
    unsafe decoder = nil
    memory.release(held)
    held = 0
  }
}
