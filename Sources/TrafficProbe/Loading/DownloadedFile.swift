#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// The open file of a download task: its content can be read even after the app moved or removed it.
  ///
  /// FoundationNetworking shows a download's content to no protocol, and its file to the app alone. So the file is looked up by
  /// reflection, which only reads. If it is not found, Content-Length, if any, stands for the content.
  struct DownloadedFile: Sendable {
    private let handle: FileHandle

    init?(_ native: URLProtocol) {
      guard let url: URL = Reflected.value("$__lazy_storage_$_tempFileURL", of: native),
        let handle = try? FileHandle(forReadingFrom: url)
      else { return nil }
      self.handle = handle
    }

    /// Counts the saved content, and compresses it again where that is needed, within the limit of `DeliveredContent`.
    func read(into content: inout DeliveredContent) {
      defer { try? handle.close() }
      guard let size = try? handle.seekToEnd() else { return }
      let octets = Int(clamping: size)
      guard content.isCompressing, octets <= DeliveredContent.compressionLimit, (try? handle.seek(toOffset: 0)) != nil
      else { return content.addUnseen(octets) }
      while let piece = try? handle.read(upToCount: DownloadedFile.piece), !piece.isEmpty { content.add(piece) }
      // The file could not be read to its end.
      if content.octets < octets { content.addUnseen(octets - content.octets) }
    }

    private static let piece = 1 << 18
  }
#endif
