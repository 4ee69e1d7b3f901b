import Packets

/// Rows that may not be in their file yet, in order of arrival. They are in a buffer, and beyond its size in a file without a name.
struct HeldRows: ~Copyable {
  /// The highest number of rows that are held back.
  var last = 0
  private let folder: OutputFolder
  private var file: OutputFile?

  /// Creates an empty list. Its file goes to `folder`.
  init(in folder: OutputFolder) { self.folder = folder }

  /// Holds a row back.
  mutating func append(_ row: RawSpan) throws(ReportError) {
    let file: OutputFile
    if let held = self.file {
      file = held
    } else {
      file = try folder.temporaryFile()
      self.file = file
    }
    try file.append(row)
  }

  /// Appends the held rows to a file.
  mutating func release(to target: OutputFile) throws(ReportError) {
    guard let file else { return }
    // Even after an error, no row comes twice.
    self.file = nil
    try file.finishAppending()
    try FileLines(file).forEach { line throws(ReportError) in try target.append(line) }
  }
}
