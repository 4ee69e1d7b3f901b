import SystemPackage

/// Why a capture cannot be read, or not any further. Every packet before the fault has been handed over already.
public struct CaptureError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Problem: Equatable, Sendable {
    /// The file cannot be opened; the system's error number.
    case cannotOpen(errno: Int32)
    /// The path is a directory.
    case isDirectory
    /// Neither this reader nor libpcap knows the format; what the file begins with.
    case notACapture(found: String)
    /// The file ends inside the record, block or file header at `offset`, which needs `needed` octets and has
    /// `available`.
    case cut(needed: Int, available: Int)
    /// A length that cannot be: what it says, and why not.
    case nonsenseLength(String)
    /// A record or block that breaks its format in another way.
    case malformed(String)
    /// Well formed as far as can be told, but of a version or kind that is not read.
    case unsupported(String)
    /// The system could not read on; its error number.
    case readFailed(errno: Int32)
    /// The compressed stream is damaged; the decompressor's words.
    case compressionCorrupt(String)
    /// The compressed stream ends before its end mark.
    case compressionCut
    /// The file, which was followed, became shorter than what was read of it; its length in octets.
    case truncated(length: Int)
    /// The file, which was followed, was moved away or removed, and grew no more.
    case replaced
    /// The file cannot be written; the system's error number.
    case cannotWrite(errno: Int32)
    /// Another run is writing the file.
    case isBeingWritten
    /// The filter expression is wrong, or means nothing for a link type of the capture; libpcap's words.
    case filter(String)
    /// libpcap, which read this file, failed; its words.
    case libpcap(String)
  }

  /// The file's path as it was given, or `standard input`; empty when the fault is in no file.
  public var file: String
  /// Where in the file the faulty record, block or stream begins, in octets from 0; nil where that says nothing.
  public var offset: Int?
  /// Whether `offset` counts the octets of the decompressed stream instead of those of the file.
  public var isDecompressedOffset: Bool
  /// What is wrong.
  public var problem: Problem

  package init(file: String, offset: Int? = nil, isDecompressedOffset: Bool = false, problem: Problem) {
    self.file = file
    self.offset = offset
    self.isDecompressedOffset = isDecompressedOffset
    self.problem = problem
  }
}

extension CaptureError: CustomStringConvertible {
  /// One line: the file, the offset, and what is wrong there.
  public var description: String {
    let position = offset.map { "offset \($0)\(isDecompressedOffset ? " of the decompressed stream" : "")" }
    return [file.isEmpty ? nil : file, position, problem.description].compactMap(\.self).joined(separator: ": ")
  }
}

extension CaptureError.Problem: CustomStringConvertible {
  /// What is wrong, without the file and the offset.
  public var description: String {
    switch self {
    case .cannotOpen(let errno): "cannot open: \(Errno(rawValue: errno))"
    case .isDirectory: "not a capture file: it is a directory"
    case .notACapture(let found): "not a capture file: \(found)"
    case .cut(let needed, let available):
      "cut: what begins here needs \(needed) bytes, and \(available) are there"
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
