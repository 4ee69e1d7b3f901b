// Unsafe: a system call takes the address of the buffer that it fills.

import Packets

/// A TLS key log (RFC 9850) that a running program may still extend; it is read up to its current end.
public final class KeyLogFile {
  /// Octets read at once.
  private static let readLength = 1 << 20
  /// The most octets of a stream: as many as the secrets that an analysis keeps, and room for comments. A device may never end.
  static let streamLimit = 128 << 20

  private let file: FileInput
  private var buffer: [UInt8] = []
  /// Octets of the file that were handed over; `partial` octets more were read: the start of a line that is not complete.
  private var offset = 0
  /// Octets of an incomplete line at the start of the buffer.
  private var partial = 0

  /// Opens a log, a regular file or a stream.
  ///
  /// Throws when it cannot be opened.
  public init(path: String, waiting: Waiting = Waiting()) throws(CaptureError) {
    do throws(CaptureError) { file = try FileInput(path: path, waiting: waiting) } catch {
      throw error.problem == .isDirectory ? CaptureError(file: path, problem: .keyLogIsDirectory) : error
    }
  }

  /// Hands over the whole lines written since the last call, some of them each time.
  ///
  /// Throws when the file cannot be read.
  public func readLines(_ body: (RawSpan) -> Void) throws(CaptureError) {
    if buffer.isEmpty { buffer = Array(repeating: 0, count: Self.readLength) }
    while true {
      let count = try readMore()
      guard count > 0 else { return }
      offset += count
      guard file.size != nil || offset <= Self.streamLimit else {
        throw CaptureError(
          file: file.name,
          problem: .unsupported("a key log of more than \(Self.streamLimit) bytes that is not a regular file"))
      }
      let end = partial + count
      guard let last = buffer[..<end].lastIndex(of: 0x0a) else {
        // A line that fills the whole buffer is not a key: it is passed on, and its reader skips it.
        if end == buffer.count { handOver(end, body) } else { partial = end }
        continue
      }
      handOver(last + 1, body)
      buffer.moveToStart(from: last + 1..<end)
      partial = end - last - 1
    }
  }

  /// Fills the buffer after the incomplete line.
  private func readMore() throws(CaptureError) -> Int {
    let (file, offset, partial) = (file, offset, partial)
    let result = unsafe buffer.withUnsafeMutableBytes { memory -> Result<Int, CaptureError> in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[partial...])
      do throws(CaptureError) {
        guard file.size != nil else { return .success(try unsafe file.read(into: room)) }
        var count = 0
        _ = try unsafe file.read(at: offset, into: room, count: &count)
        return .success(count)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Hands over the rest at the end of the log: a last line may lack its line end.
  public func finish(_ body: (RawSpan) -> Void) {
    if partial > 0 { handOver(partial, body) }
    partial = 0
  }

  private func handOver(_ count: Int, _ body: (RawSpan) -> Void) {
    buffer.withOctets { body($0.extracting(0..<count)) }
    partial = 0
  }

  deinit {
    // The octets are secret.
    for index in buffer.indices { buffer[index] = 0 }
  }
}

extension [UInt8] {
  /// Moves octets to the start, and clears their old place.
  fileprivate mutating func moveToStart(from range: Range<Int>) {
    for (target, source) in range.enumerated() { self[target] = self[source] }
    for index in Swift.max(range.count, range.lowerBound)..<range.upperBound { self[index] = 0 }
  }
}
