import HeapModule
import Packets

/// Writes rows to a file in the order of their numbers. They come in any order and may not fit into memory.
///
/// Numbers start at 1 and never repeat. The row whose turn it is goes straight to the file. Others wait in memory. When that is full, they
/// go to sorted runs in temporary files of the same folder, and are merged when their turn comes. A number that never comes holds later
/// rows back only until `finish`. Rows that are nearly in order, as those behind a missing row are, make one run of any length. They are
/// written and read only once more.
package struct OrderedRows: ~Copyable {
  /// Octets of rows in memory: some thousand rows. Further rows are written and read once more, which costs less than making them did.
  package static let memoryLimit = 1 << 20
  /// The most runs open at once. Four tables of 32 stay below the 256 open files that macOS allows a process.
  package static let runLimit = 32

  private let file: OutputFile
  private let folder: OutputFolder
  private let memoryLimit: Int
  private let runLimit: Int
  private var next = 1
  private var waiting = WaitingRows()
  private var runs: [SortedRun] = []

  /// Writes to `file`. Temporary files are in `folder`.
  package init(
    file: OutputFile, folder: OutputFolder, memoryLimit: Int = Self.memoryLimit, runLimit: Int = Self.runLimit
  ) {
    self.file = file
    self.folder = folder
    self.memoryLimit = memoryLimit
    self.runLimit = max(runLimit, 2)
  }

  /// The number of runs.
  var runCount: Int { runs.count }
  /// Octets of runs that are not in the file yet.
  var runLength: Int { runs.reduce(0) { $0 + $1.length } }

  /// Adds the row of `number`.
  package mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard number > next else {
      try file.append(row)
      next = max(next, number + 1)
      if !waiting.isEmpty || !runs.isEmpty { try writeDue() }
      return
    }
    waiting.add(number, row)
    guard waiting.memory > memoryLimit else { return }
    if waiting.isMostlyGarbage { waiting.compact() } else { try setAside() }
  }

  /// Writes all waiting rows, and closes the file.
  package mutating func finish() throws(ReportError) {
    try writeAll()
    try file.close()
  }

  /// Writes all waiting rows, when no more come.
  package mutating func writeAll() throws(ReportError) {
    while let number = lowest {
      next = number
      try writeDue()
    }
  }

  /// The lowest number that waits in memory or in a run.
  private var lowest: Int? {
    var lowest = waiting.first
    for run in runs { lowest = min(lowest ?? .max, run.first ?? .max) }
    return lowest
  }

  /// Writes the rows whose turn it is.
  private mutating func writeDue() throws(ReportError) {
    let file = file
    var isDone = false
    while !isDone {
      isDone = true
      while waiting.first == next {
        try waiting.writeFirst(to: file)
        next += 1
        isDone = false
      }
      for index in runs.indices {
        while runs[index].first == next {
          try runs[index].takeFirst { row throws(ReportError) in try file.append(row) }
          next += 1
          isDone = false
        }
      }
      // A run that was read to its end is closed, which frees its descriptor and disk space.
      if !isDone { runs.removeAll { $0.first == nil } }
    }
  }

  /// Moves the waiting rows to a run. If most of them follow the run that reaches furthest, those are appended to it; otherwise all go to a
  /// new run.
  private mutating func setAside() throws(ReportError) {
    if let index = runs.indices.max(by: { runs[$0].last < runs[$1].last }), waiting.mostAreBeyond(runs[index].last) {
      try waiting.write(beyond: runs[index].last, to: &runs[index])
      return try runs[index].finishAppending()
    }
    if runs.count >= runLimit { try mergeSmallest() }
    var run = SortedRun(try folder.temporaryFile())
    try waiting.write(beyond: 0, to: &run)
    try run.finishAppending()
    runs.append(run)
  }

  /// The first row of a run in a merge.
  private struct Front: Comparable {
    var number: Int
    /// The run's index.
    var run: Int

    static func < (a: Front, b: Front) -> Bool { a.number < b.number }
  }

  /// Merges the smaller half of the runs into one. Small runs are merged only with small ones, so a row is rewritten at most as often as
  /// the logarithm of their number.
  private mutating func mergeSmallest() throws(ReportError) {
    runs.sort { $0.length > $1.length }
    let kept = runs.count - max(runLimit / 2, 2)
    var merging = Array(runs[kept...])
    runs.removeSubrange(kept...)
    var merged = SortedRun(try folder.temporaryFile())
    var fronts = Heap(merging.indices.compactMap { run in merging[run].first.map { Front(number: $0, run: run) } })
    while let front = fronts.min {
      try merging[front.run].takeFirst { row throws(ReportError) in
        try merged.append(front.number, row)
      }
      if let number = merging[front.run].first {
        fronts.replaceMin(with: Front(number: number, run: front.run))
      } else {
        fronts.removeMin()
      }
    }
    try merged.finishAppending()
    runs.append(merged)
  }
}
