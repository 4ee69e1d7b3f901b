// Unsafe: libzstd is handed pointers to the octets lent by the caller and to the output buffer, each with its length,
// for one call.

import CZstd
import HTTPReassembly

/// `zstd`: frames of RFC 8878 §3.1, one after another, skippable frames among them.
///
/// The window may be as large as 128 MiB: the coding's own limit is 8 MiB (RFC 9659 §3), but `curl` and others take what
/// `zstd --ultra` writes. A frame's header is read here first, so that the window is counted before the library allocates
/// it, and a frame whose window is too large takes no memory. After a frame, octets that do not begin with a frame's magic number are junk.
@safe
final class ZstandardStage: CodingStage {
  private enum Place: Equatable {
    /// In a magic number, after `count` octets of it.
    case inMagic(count: Int)
    /// In a frame's header, after its magic number.
    case inHeader
    case inFrame
    case inJunk
  }

  /// Binary logarithm of the largest window, in octets.
  static let windowLogLimit: Int32 = 27
  /// A decoder that has grown beyond this many octets is not kept for the next message.
  static let keptLimit = 1 << 20

  private let memory: WindowMemory
  /// Exists from the first frame on.
  private var decoder: OpaquePointer?
  /// What `decoder` holds, in octets, as counted in `memory`.
  private var held = 0
  /// What it holds without a frame's buffers.
  private var bare = 0
  private var place = Place.inMagic(count: 0)
  private var magic: UInt32 = 0
  /// The header of the frame, as far as it has come.
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

  /// Whether the first `count` octets of `magic` begin a frame (§3.1.1) or a skippable one (§3.1.2).
  ///
  /// The library could tell, but would take the frames of its own early versions too.
  private static func isMagic(_ magic: UInt32, count: Int) -> Bool {
    let seen = ~UInt32(0) >> (32 - 8 * count)
    return (magic ^ 0xFD2F_B528) & seen == 0 || (magic ^ 0x184D_2A50) & 0xFFFF_FFF0 & seen == 0
  }

  /// Gives the library the frame's header, whose octets may have come one by one.
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
      // Nothing comes out of a header.
      return run(octets, from: &position, buffer: buffer) { _ in true }
    }
  }

  /// Counts that the decoder is about to hold so many octets; false, and it is freed, if that is beyond the limit.
  private func reserve(_ octets: Int) -> Bool {
    guard octets > held else { return true }
    guard memory.reserve(octets - held) else {
      free()
      return false
    }
    held = octets
    return true
  }

  /// Decodes a frame's octets from `position` on, and moves `position` to the first one that was not used.
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

  /// Why the library gave up.
  private func failure(_ code: Int) -> ContentFailure {
    switch ZSTD_getErrorCode(code) {
    case ZSTD_error_frameParameter_windowTooLarge, ZSTD_error_memory_allocation: .beyondLimit
    default: .corrupt
    }
  }

  /// Counts what the decoder holds, which is no more than was reserved. Should another version of the library take more, and that
  /// be beyond the limit, frees it and says false: it has written little to what it has only just allocated.
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
