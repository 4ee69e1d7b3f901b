import HTTPReassembly

/// What has been appended to a file and is not written yet: a value, so that a row costs the file one access.
struct FileTail: ~Copyable {
  /// Octets gathered before a system call: large enough that the calls cost nothing beside formatting, small
  /// enough to stay in the cache.
  private static let bufferLength = 128 << 10

  private var buffer = OctetBuffer(capacity: 0)
  private var flushedLength = 0
  private var failure: ReportError?
  private let descriptor: FileDescriptor
  private let path: String
  private let isOwn: Bool

  /// Appends to a file; `isOwn` says that all of its octets are from here, so that it may be cut off after an error.
  init(_ descriptor: FileDescriptor, path: String, isOwn: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isOwn = isOwn
  }

  /// Octets appended, those still in the buffer included.
  var length: Int { flushedLength + buffer.count }

  /// Appends octets.
  @inline(__always)
  mutating func append(_ octets: RawSpan) throws(ReportError) {
    if failure != nil || buffer.count + octets.byteCount > Self.bufferLength { try flush() }
    buffer.append(octets)
  }

  /// Hands what is in the buffer to the operating system.
  @inline(never)
  mutating func flush() throws(ReportError) {
    if let failure { throw failure }
    do throws(SystemError) {
      try buffer.withOctets { octets throws(SystemError) in try descriptor.write(octets) }
    } catch {
      // Rows are whole in the buffer: without what was written of it the file ends with one. What cannot be cut off
      // (a device) has to stay.
      if isOwn { try? descriptor.truncate(to: flushedLength) }
      throw fail(error)
    }
    flushedLength += buffer.count
    buffer.removeAll()
  }

  /// Frees the buffer, which is empty after `flush`.
  mutating func freeMemory() { buffer = OctetBuffer(capacity: 0) }

  /// Makes every further call throw the error.
  mutating func fail(_ error: SystemError) -> ReportError {
    let failure = ReportError(.write, path, error)
    self.failure = failure
    freeMemory()
    return failure
  }
}
