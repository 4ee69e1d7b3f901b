import SystemPackage

/// The reason why a capture cannot be read, or not any further. All packets before the fault were handed over.
public struct CaptureError: Error, Equatable, Sendable {
  /// The kinds of faults.
  public enum Problem: Equatable, Sendable {
    /// The file cannot be opened; the system's error number.
    case cannotOpen(errno: Int32)
    /// The path is a directory.
    case isDirectory
    /// The path of a key log is a directory.
    case keyLogIsDirectory
    /// Neither this reader nor libpcap knows the format; the first octets of the file.
    case notACapture(found: String)
    /// The file ends inside the record, block or file header at `offset`, which needs `needed` octets and has
    /// `available`.
    case cut(needed: Int, available: Int)
    /// An impossible length: its value, and the reason.
    case nonsenseLength(String)
    /// Zeros stand where a record or block is due, as a power failure leaves them.
    case zeros
    /// Another capture file begins where a record or block is due; the commands that take the two apart.
    case anotherCapture(commands: String)
    /// A record or block is broken, and each line feed of the file follows a carriage return.
    case insertedReturns
    /// A record or block that breaks its format in another way.
    case malformed(String)
    /// Valid, but of a version or kind that is not read.
    case unsupported(String)
    /// The system could not continue to read; its error number.
    case readFailed(errno: Int32)
    /// The compressed stream is damaged; the decompressor's words.
    case compressionCorrupt(String)
    /// The compressed stream ends before its end mark.
    case compressionCut
    /// The followed file became shorter than the part that was read; its length in octets.
    case truncated(length: Int)
    /// The followed file was moved away or removed, and grew no more.
    case replaced
    /// The file cannot be written; the system's error number.
    case cannotWrite(errno: Int32)
    /// Another run is writing the file.
    case isBeingWritten
    /// The filter expression is wrong, or has no meaning for a link type of the capture; libpcap's words.
    case filter(String)
    /// libpcap, which read this file, failed; its words.
    case libpcap(String)

    /// The system has no memory for a decompressor.
    static var outOfMemory: Self { .readFailed(errno: Errno.noMemory.rawValue) }
  }

  /// The name of standard input in errors.
  static let standardInput = "standard input"

  /// The file's path as given, or `standard input`; empty when the fault is in no file.
  public var file: String
  /// The offset in the file at which the faulty record, block or stream begins, in octets from 0; nil where it has no meaning.
  public var offset: Int?
  /// Whether `offset` counts octets of the decompressed stream, and not of the file.
  public var isDecompressedOffset: Bool
  /// The fault.
  public var problem: Problem

  package init(file: String, offset: Int? = nil, isDecompressedOffset: Bool = false, problem: Problem) {
    self.file = file
    self.offset = offset
    self.isDecompressedOffset = isDecompressedOffset
    self.problem = problem
  }
}

extension CaptureError: CustomStringConvertible {
  /// One line: the file, the offset, and the fault.
  public var description: String {
    let position = offset.map { "offset \($0)\(isDecompressedOffset ? " of the decompressed stream" : "")" }
    return [file.isEmpty ? nil : file, position, problem.description].compactMap(\.self).joined(separator: ": ")
  }
}

extension CaptureError.Problem: CustomStringConvertible {
  /// The fault, without the file and the offset.
  public var description: String {
    switch self {
    case .cannotOpen(let errno): "cannot open: \(Errno(rawValue: errno))"
    case .isDirectory: "not a capture file: it is a directory"
    case .keyLogIsDirectory: "not a key log: it is a directory; give the file in it that has the secrets"
    case .notACapture(let found): "not a capture file: \(found)"
    case .cut(let needed, let available):
      "cut: what begins here needs \(needed) bytes, and \(available) are there"
    case .zeros: "cut: zeros are here in place of a packet, as after a power failure"
    case .anotherCapture(let commands): "another capture begins here; take the two apart: \(commands)"
    case .insertedReturns:
      "carriage returns were put before its line feeds, by a terminal or as text; \(InsertedReturns.way)"
    case .nonsenseLength(let text): "nonsense length: \(text)"
    case .malformed(let text): "malformed: \(text)"
    case .unsupported(let text): "not supported: \(text)"
    case .readFailed(let errno): "cannot read: \(Errno(rawValue: errno))"
    case .compressionCorrupt(let text): "the compressed stream is corrupt: \(text)"
    case .compressionCut: "the compressed stream is cut"
    case .truncated(let length): "truncated while it was followed: it has only \(length) bytes now"
    case .replaced: "moved away or removed while it was followed: what was read ends here"
    case .cannotWrite(let errno): "cannot write: \(Errno(rawValue: errno))"
    case .isBeingWritten: "cannot write: another run is writing this file"
    case .filter(let text): "filter: \(text)"
    case .libpcap(let text): "libpcap: \(text)"
    }
  }
}
