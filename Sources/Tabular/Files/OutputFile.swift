import Packets
import SystemPackage

/// A file that octets are appended to through a buffer.
///
/// After an error nothing more is written to it, and every further call throws that same error.
package final class OutputFile {
  /// The file as the user would name it.
  package let path: String
  /// What everything goes to, for reading it back.
  package let descriptor: OpenFile
  /// In memory of its own, because a check of overlapping access costs as much as half of a row's octets do.
  private let tail: OwnMemory<FileTail>

  /// Appends to a file; `isOwn` says that all of its octets are from here, so that it may be cut off after an error, and
  /// `hasLines` that whole lines are appended, to be kept whole (`LineWrites`).
  package init(_ descriptor: OpenFile, path: String, isOwn: Bool = true, hasLines: Bool = false) {
    self.descriptor = descriptor
    self.path = path
    tail = OwnMemory(FileTail(descriptor, path: path, isOwn: isOwn, hasLines: hasLines))
  }

  /// Octets appended, those still in the buffer included.
  package var length: Int { tail.value.length }

  /// Appends octets.
  package func append(_ octets: RawSpan) throws(ReportError) { try tail.value.append(octets) }

  /// Appends octets.
  package func append(_ octets: [UInt8]) throws(ReportError) {
    try octets.withOctets { octets throws(ReportError) in try append(octets) }
  }

  /// Hands what is in the buffer to the operating system.
  package func flush() throws(ReportError) { try tail.value.flush() }

  /// Takes back what was appended beyond the first `length` octets.
  package func cut(to length: Int) throws(ReportError) { try tail.value.cut(to: length) }

  /// Flushes and frees the buffer; the file stays open for reading.
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

/// What has been appended to a file and is not written yet: a value, so that a row costs the file one access.
package struct FileTail: ~Copyable {
  /// Octets gathered before a system call: large enough that the calls cost nothing beside formatting, small
  /// enough to stay in the cache.
  private static let bufferLength = 128 << 10

  private var buffer = OctetBuffer(capacity: 0)
  private var flushedLength = 0
  private var failure: ReportError?
  private let descriptor: OpenFile
  private let path: String
  private let isOwn: Bool
  private let hasLines: Bool

  /// Appends to a file; `isOwn` says that all of its octets are from here, so that it may be cut off after an error, and
  /// `hasLines` that whole lines are appended, to be kept whole.
  package init(_ descriptor: OpenFile, path: String, isOwn: Bool, hasLines: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isOwn = isOwn
    self.hasLines = hasLines
  }

  /// Octets appended, those still in the buffer included.
  package var length: Int { flushedLength + buffer.count }

  /// Appends octets.
  @inline(__always)
  package mutating func append(_ octets: RawSpan) throws(ReportError) {
    if failure != nil || buffer.count + octets.byteCount > Self.bufferLength { try flush() }
    buffer.append(octets)
  }

  /// Hands what is in the buffer to the operating system.
  @inline(never)
  package mutating func flush() throws(ReportError) {
    if let failure { throw failure }
    do throws(Errno) {
      try buffer.withOctets { octets throws(Errno) in
        guard hasLines else { return try descriptor.write(octets) }
        try LineWrites.forEach(octets, at: flushedLength) { part throws(Errno) in try descriptor.write(part) }
      }
    } catch {
      // Rows are whole in the buffer: without what was written of it the file ends with one. What cannot be cut off
      // (a device) has to stay.
      if isOwn { try? descriptor.truncate(to: flushedLength) }
      throw fail(error)
    }
    flushedLength += buffer.count
    buffer.removeAll()
  }

  /// Takes back what was appended beyond the first `length` octets.
  package mutating func cut(to length: Int) throws(ReportError) {
    try flush()
    do throws(Errno) { try descriptor.goBack(to: length) } catch { throw fail(error) }
    flushedLength = length
  }

  /// Frees the buffer, which is empty after `flush`.
  package mutating func freeMemory() { buffer = OctetBuffer(capacity: 0) }

  /// Makes every further call throw the error.
  package mutating func fail(_ error: Errno) -> ReportError {
    let failure = ReportError(.write, path, error)
    self.failure = failure
    freeMemory()
    return failure
  }
}
