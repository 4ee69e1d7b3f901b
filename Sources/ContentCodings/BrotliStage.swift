// Unsafe: for one call, the Brotli library gets a pointer to the caller's octets with their length, and lends its output with its length.
// Its memory comes from the two functions below, which count it.

import CBrotli
import HTTPReassembly

/// `br`: one stream of RFC 7932.
///
/// The window is at most 16 MiB (§9.1; the "large window" extension is not part of the coding and stays off). It is allocated when the
/// stream announces it. There is no checksum: a damaged stream may still decode.
///
/// The library fills its window before it stops, so a few octets cost the time of 16 MiB. It lends the window as it is: all that it made is
/// counted, and nothing is copied.
@safe
final class BrotliStage: CodingStage {
  private let memory: WindowMemory
  /// Exists from the first octet until `reset`, because the library cannot use a decoder twice.
  private var decoder: OpaquePointer?
  private var place = StreamEnd.missing

  /// Octets that the library holds for this stage.
  private var held = 0

  var isUnbounded: Bool { true }
  /// A stream that fails takes what is in its window with it.
  var unlent: Int { held }

  init(memory: WindowMemory) {
    self.memory = memory
  }

  deinit {
    unsafe BrotliDecoderDestroyInstance(decoder)
  }

  func decode(_ octets: RawSpan, buffer: OutputBuffer, output: (RawSpan) -> Bool) -> ContentFailure? {
    guard place == .missing else {
      place = .followedByJunk
      return nil
    }
    if unsafe decoder == nil {
      unsafe decoder = BrotliDecoderCreateInstance(
        allocateCounted, freeCounted, Unmanaged.passUnretained(self).toOpaque())
      guard unsafe decoder != nil else { return .beyondLimit }
    }
    return unsafe octets.withUnsafeBytes { input in
      var nextInput = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var inputLeft = input.count
      while true {
        var noRoom = 0
        let result = unsafe BrotliDecoderDecompressStream(decoder, &inputLeft, &nextInput, &noRoom, nil, nil)
        while unsafe BrotliDecoderHasMoreOutput(decoder) != 0 {
          // 0 stands for all of it.
          var count = 0
          guard let made = unsafe BrotliDecoderTakeOutput(decoder, &count), count > 0 else { break }
          guard output(unsafe UnsafeRawBufferPointer(start: made, count: count).bytes) else { return nil }
        }
        switch result {
        case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return nil
        case BROTLI_DECODER_RESULT_SUCCESS:
          place = inputLeft > 0 ? .followedByJunk : .reached
          return nil
        default: return failure
        }
      }
    }
  }

  /// The reason why the library stopped.
  private var failure: ContentFailure {
    let code = unsafe BrotliDecoderGetErrorCode(decoder).rawValue
    let noMemory =
      BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES.rawValue...BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES.rawValue
    return noMemory ~= code ? .beyondLimit : .corrupt
  }

  var end: StreamEnd { place }

  func reset() {
    unsafe BrotliDecoderDestroyInstance(decoder)
    unsafe decoder = nil
    place = .missing
  }
}

/// Octets before each allocation that hold its size: a multiple of every alignment that the library needs.
private let allocationHeader = 16

extension BrotliStage {
  /// Counts `octets` more for the library; false if that exceeds the limit.
  fileprivate func reserve(_ octets: Int) -> Bool {
    guard memory.reserve(octets) else { return false }
    held += octets
    return true
  }

  /// Counts `octets` less.
  fileprivate func release(_ octets: Int) {
    memory.release(octets)
    held -= octets
  }
}

/// Allocates for the library if its stage, passed as `opaque`, allows it.
private func allocateCounted(_ opaque: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
  guard let opaque = unsafe opaque else { return nil }
  let total = size + allocationHeader
  guard unsafe Unmanaged<BrotliStage>.fromOpaque(opaque).takeUnretainedValue().reserve(total) else { return nil }
  let start = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: allocationHeader)
  unsafe start.storeBytes(of: total, as: Int.self)
  return unsafe start + allocationHeader
}

/// Frees memory from `allocateCounted`.
private func freeCounted(_ opaque: UnsafeMutableRawPointer?, _ address: UnsafeMutableRawPointer?) {
  guard let opaque = unsafe opaque, let address = unsafe address else { return }
  let start = unsafe address - allocationHeader
  unsafe Unmanaged<BrotliStage>.fromOpaque(opaque).takeUnretainedValue().release(start.load(as: Int.self))
  unsafe start.deallocate()
}
