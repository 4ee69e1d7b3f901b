/// Standard output, for what a run prints.
public enum StandardOutput {
  /// Writes text.
  ///
  /// - Throws: when the other end of a pipe has gone, or a disk is full.
  public static func write(_ text: String) throws(ReportError) {
    do throws(SystemError) {
      try FileDescriptor.standard(1).write(text)
    } catch {
      throw ReportError(.write, "standard output", error)
    }
  }
}
