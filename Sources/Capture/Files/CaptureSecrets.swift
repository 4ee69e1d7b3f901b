import Packets

/// The secrets that captures have in themselves (decryption secrets blocks), looked for before their packets are read: a block may
/// come after the packets that it opens.
public enum CaptureSecrets {
  /// Reads each pcapng file, plain or compressed, up to its end, and hands over its secrets. Streams cannot be read twice, and a
  /// damaged file says so when its packets are read.
  ///
  /// Nothing is read beyond the first packet of a file of another format.
  public static func read(_ paths: [String], waiting: Waiting = Waiting(), _ body: (SecretsRecord) -> Void) {
    for path in paths {
      guard case .file = FileInput.kind(path) else { continue }
      guard var reader = try? CaptureReader(path: path, waiting: waiting), reader.formatDescription.hasPrefix("pcapng")
      else { continue }
      read(&reader, body)
    }
  }

  /// Whether secrets may come behind the packets that they open: of a stream, which cannot be looked through before.
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
