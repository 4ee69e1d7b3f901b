import HTTPReassembly

/// A file that octets are appended to through a buffer.
///
/// After an error nothing more is written to it, and every further call throws that same error.
final class OutputFile {
  /// The file as the user would name it.
  let path: String
  /// What everything goes to, for reading it back.
  let descriptor: FileDescriptor
  private var tail: FileTail

  /// Appends to a file; `isOwn` says that all of its octets are from here, so that it may be cut off after an error.
  init(_ descriptor: FileDescriptor, path: String, isOwn: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    tail = FileTail(descriptor, path: path, isOwn: isOwn)
  }

  /// Octets appended, those still in the buffer included.
  var length: Int { tail.length }

  /// Appends octets.
  func append(_ octets: RawSpan) throws(ReportError) { try tail.append(octets) }

  /// Appends octets.
  func append(_ octets: [UInt8]) throws(ReportError) {
    try octets.withOctets { octets throws(ReportError) in try append(octets) }
  }

  /// Hands what is in the buffer to the operating system.
  func flush() throws(ReportError) { try tail.flush() }

  /// Flushes and frees the buffer; the file stays open for reading.
  func finishAppending() throws(ReportError) {
    try tail.flush()
    tail.freeMemory()
  }

  /// Flushes and closes the file.
  func close() throws(ReportError) {
    try tail.flush()
    do throws(SystemError) { try descriptor.close() } catch { throw tail.fail(error) }
  }
}
