import Packets

/// The secrets in captures (decryption secrets blocks). They are read before the packets, because a block may come after the
/// packets that it opens.
public enum CaptureSecrets {
  /// Reads each pcapng file, plain or compressed, to its end, and hands over its secrets. Streams are not read, because they
  /// cannot be read twice. Errors of damaged files appear when their packets are read.
  ///
  /// Files of other formats are read up to the first packet only. With `readsAhead`, a thread of its own reads from the files.
  public static func read(
    _ paths: [String], waiting: Waiting = Waiting(), readsAhead: Bool = false, _ body: (SecretsRecord) -> Void
  ) {
    for path in paths {
      guard case .file = FileInput.kind(path) else { continue }
      guard var reader = try? CaptureReader(path: path, waiting: waiting), reader.formatDescription.hasPrefix("pcapng")
      else { continue }
      if readsAhead, !waiting.follows { reader.readAhead() }
      reader.stepOverPackets()
      read(&reader, body)
    }
  }

  /// Whether secrets may come after the packets that they open: so it is for a stream, which cannot be read in advance.
  public static func mayComeLate(in paths: [String]) -> Bool {
    paths.contains { path in
      if case .file = FileInput.kind(path) { false } else { true }
    }
  }

  private static func read(_ reader: inout CaptureReader, _ body: (SecretsRecord) -> Void) {
    func take(_ reader: inout CaptureReader) {
      for case .secrets(let secrets) in reader.takeEvents() { body(secrets) }
    }
    while true {
      do throws(CaptureError) {
        try reader.passOn { _, _ in true }
        guard try reader.advance() else { break }
        take(&reader)
      } catch { break }
    }
    take(&reader)
  }
}
