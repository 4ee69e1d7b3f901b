import Shared
import SystemPackage

/// An error of writing a report. The description is one line that names the file.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The operations that can fail.
  public enum Operation: String, Sendable {
    /// Creating the output folder, or a parent of it.
    case createFolder = "cannot create the folder"
    /// Opening the output folder.
    case openFolder = "cannot open the folder"
    /// Locking the output folder for one run.
    case lockFolder = "cannot use the folder"
    /// Creating a file.
    case create = "cannot create the file"
    /// Writing, flushing or closing a file.
    case write = "cannot write"
    /// Reading back a temporary file.
    case read = "cannot read"
  }

  /// The file or folder as the user named it. Only `description` escapes hostile names.
  public var file: String
  /// The operation that failed.
  public var operation: Operation
  /// The reason: the system's text for its error number, or a text of the program.
  public var reason: String

  package init(_ operation: Operation, _ file: String, reason: String) {
    self.file = file
    self.operation = operation
    self.reason = reason
  }

  package init(_ operation: Operation, _ file: String, _ error: Errno) {
    self.init(operation, file, reason: error.description)
  }

  /// Whether the reader of the output has gone (EPIPE), as `head` does when it has enough.
  public var isReaderGone: Bool { operation == .write && reason == Errno.brokenPipe.description }

  /// Whether the disk, or the user's share of it, has no room for what was to be written.
  package var isDiskFull: Bool {
    operation == .write && [.noSpace, .diskQuotaExceeded].map(\Errno.description).contains(reason)
  }

  /// One line: file, operation, reason.
  public var description: String {
    "\(TextEscaping.string(FileName.octets(of: file))): \(operation.rawValue): \(reason)"
  }
}
