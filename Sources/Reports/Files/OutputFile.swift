/// A file that octets are appended to through a buffer.
///
/// After an error nothing more is written to it, and every further call throws that same error.
final class OutputFile {
  /// Octets gathered before a system call: large enough that the calls cost nothing beside formatting, small
  /// enough to stay in the cache.
  private static let bufferLength = 128 << 10

  /// The file as the user would name it.
  let path: String
  /// What everything goes to, for reading it back.
  let descriptor: FileDescriptor
  /// Octets appended, those still in the buffer included.
  var length: Int { flushedLength + buffer.count }
  private var flushedLength = 0
  private let isOwn: Bool
  private var buffer: [UInt8] = []
  private var failure: ReportError?

  /// Appends to a file; `isOwn` says that all of its octets are from here, so that it may be cut off after an error.
  init(_ descriptor: FileDescriptor, path: String, isOwn: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.isOwn = isOwn
  }

  /// Appends octets.
  func append(_ octets: ArraySlice<UInt8>) throws(ReportError) {
    if let failure { throw failure }
    if buffer.isEmpty { buffer.reserveCapacity(Self.bufferLength) }
    if buffer.count + octets.count > Self.bufferLength { try flush() }
    buffer.append(contentsOf: octets)
  }

  /// Appends octets.
  func append(_ octets: [UInt8]) throws(ReportError) { try append(octets[...]) }

  /// Hands what is in the buffer to the operating system.
  func flush() throws(ReportError) {
    if let failure { throw failure }
    do throws(SystemError) { try descriptor.write(buffer) } catch {
      // Rows are whole in the buffer: without what was written of it the file ends with one. What cannot be cut off
      // (a device) has to stay.
      if isOwn { try? descriptor.truncate(to: flushedLength) }
      throw fail(error)
    }
    flushedLength += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// Flushes and frees the buffer; the file stays open for reading.
  func finishAppending() throws(ReportError) {
    try flush()
    buffer = []
  }

  /// Flushes and closes the file.
  func close() throws(ReportError) {
    try flush()
    do throws(SystemError) { try descriptor.close() } catch { throw fail(error) }
  }

  private func fail(_ error: SystemError) -> ReportError {
    let failure = ReportError(.write, path, error)
    self.failure = failure
    buffer = []
    return failure
  }
}
