import SystemPackage

/// A report could not be written. The description is one line that names the file.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What was attempted.
  public enum Operation: String, Sendable {
    /// Making the output folder, or one on the way to it.
    case createFolder = "cannot create the folder"
    /// Opening the output folder.
    case openFolder = "cannot open the folder"
    /// Having the output folder for one run alone.
    case lockFolder = "cannot use the folder"
    /// Creating a file.
    case create = "cannot create the file"
    /// Writing, flushing or closing a file.
    case write = "cannot write"
    /// Reading back what was set aside in a temporary file.
    case read = "cannot read"
  }

  /// The file or folder, as the user named it; hostile names are escaped in `description` only.
  public var file: String
  /// What was attempted.
  public var operation: Operation
  /// Why it failed: the operating system's text for its error number, or a reason of our own.
  public var reason: String

  package init(_ operation: Operation, _ file: String, reason: String) {
    self.file = file
    self.operation = operation
    self.reason = reason
  }

  package init(_ operation: Operation, _ file: String, _ error: Errno) {
    self.init(operation, file, reason: error.description)
  }

  /// Whether the program that reads it has gone away (EPIPE), as `head` does when it has enough.
  public var isReaderGone: Bool { operation == .write && reason == Errno.brokenPipe.description }

  /// One line: file, operation, reason.
  public var description: String {
    "\(TextEscaping.string(Array(file.utf8))): \(operation.rawValue): \(reason)"
  }
}
