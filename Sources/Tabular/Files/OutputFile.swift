import Packets
import SystemPackage

/// A file that is appended to through a buffer.
///
/// After an error, nothing more is written, and every further call throws that error.
package final class OutputFile {
  /// The file as the user would name it.
  package let path: String
  /// The open file, for reading it back.
  package let descriptor: OpenFile
  /// The buffer, in memory of its own: a check of overlapping access costs half as much as appending a row's octets.
  private let tail: OwnMemory<FileTail>

  /// Appends to a file. `isOwn` says that all its octets come from here, so that it may be truncated after an error. `hasLines` says that
  /// whole lines are appended, to be kept whole (`LineWrites`).
  package init(_ descriptor: OpenFile, path: String, isOwn: Bool = true, hasLines: Bool = false) {
    self.descriptor = descriptor
    self.path = path
    tail = OwnMemory(FileTail(descriptor, path: path, isOwn: isOwn, hasLines: hasLines))
  }

  /// Octets appended, including those in the buffer.
  package var length: Int { tail.value.length }

  /// Appends octets.
  package func append(_ octets: RawSpan) throws(ReportError) { try tail.value.append(octets) }

  /// Appends octets.
  package func append(_ octets: [UInt8]) throws(ReportError) {
    try octets.withOctets { octets throws(ReportError) in try append(octets) }
  }

  /// Writes the buffer to the file.
  package func flush() throws(ReportError) { try tail.value.flush() }

  /// Removes octets beyond the first `length`.
  package func cut(to length: Int) throws(ReportError) { try tail.value.cut(to: length) }

  /// Flushes and frees the buffer. The file stays open for reading.
  package func finishAppending() throws(ReportError) {
    try tail.value.flush()
    tail.value.freeMemory()
  }

  /// Flushes and closes the file.
  package func close() throws(ReportError) {
    try tail.value.flush()
    do throws(Errno) { try descriptor.close() } catch { throw tail.value.fail(error) }
  }
}

/// Octets appended to a file and not written yet. It is a value, so that a row needs one access to the file.
package struct FileTail: ~Copyable {
  /// The size of the buffer in octets: large enough to make system calls cheap beside formatting, small enough to stay in the cache.
  private static let bufferLength = 128 << 10

  private var buffer = OctetBuffer(capacity: 0)
  private var flushedLength = 0
  private var failure: ReportError?
  private let descriptor: OpenFile
  private let path: String
  private let isOwn: Bool
  private let hasLines: Bool

  /// Appends to a file. `isOwn` says that all its octets come from here, so that it may be truncated after an error. `hasLines` says that
  /// whole lines are appended, to be kept whole.
  package init(_ descriptor: OpenFile, path: String, isOwn: Bool, hasLines: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isOwn = isOwn
    self.hasLines = hasLines
  }

  /// Octets appended, including those in the buffer.
  package var length: Int { flushedLength + buffer.count }

  /// Appends octets.
  @inline(__always)
  package mutating func append(_ octets: RawSpan) throws(ReportError) {
    if failure != nil || buffer.count + octets.byteCount > Self.bufferLength { try flush() }
    buffer.append(octets)
  }

  /// Writes the buffer to the file.
  @inline(never)
  package mutating func flush() throws(ReportError) {
    if let failure { throw failure }
    do throws(Errno) {
      try buffer.withOctets { octets throws(Errno) in
        guard hasLines else { return try descriptor.write(octets) }
        try LineWrites.forEach(octets, at: flushedLength) { part throws(Errno) in try descriptor.write(part) }
      }
    } catch {
      // The buffer has whole rows. Without the part that was written, the file ends with a whole row. A device cannot be truncated.
      if isOwn { try? descriptor.truncate(to: flushedLength) }
      throw fail(error)
    }
    flushedLength += buffer.count
    buffer.removeAll()
  }

  /// Removes octets beyond the first `length`.
  package mutating func cut(to length: Int) throws(ReportError) {
    try flush()
    do throws(Errno) { try descriptor.goBack(to: length) } catch { throw fail(error) }
    flushedLength = length
  }

  /// Frees the buffer, which must be empty after `flush`.
  package mutating func freeMemory() { buffer = OctetBuffer(capacity: 0) }

  /// Makes every further call throw the error.
  package mutating func fail(_ error: Errno) -> ReportError {
    let failure = ReportError(.write, path, error)
    self.failure = failure
    freeMemory()
    return failure
  }
}
