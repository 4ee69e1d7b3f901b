import Packets

/// Rows that may not be in their file yet, in the order in which they came: in a file without a name, beyond what its buffer
/// holds.
struct HeldRows: ~Copyable {
  /// The highest number of the rows that are held back.
  var last = 0
  private let folder: OutputFolder
  private var file: OutputFile?

  /// None yet; `folder` is for the file.
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

  /// Appends the rows to a file, and holds none any more.
  mutating func release(to target: OutputFile) throws(ReportError) {
    guard let file else { return }
    // Whatever fails, no row comes twice.
    self.file = nil
    try file.finishAppending()
    try FileLines(file).forEach { line throws(ReportError) in try target.append(line) }
  }
}
