import Logging
import Partials
import ProcessConfinement
import Reports
import Tabular

/// `sniffer merge PARTIAL... --partial FILE`: one partial of several.
struct PartialJoining {
  private let options: CommonOptions
  private let series: PartialSeries

  /// Prepares to join the segments of partials.
  init(options: CommonOptions, series: PartialSeries) {
    self.options = options
    self.series = series
  }

  /// Writes the partial. It gets its name only when it is whole.
  func run(to path: String) -> ExitStatus {
    do throws(ReportError) {
      let (folder, name) = try PartialSegment.folder(for: path)
      Confinement(inputs: series.segments.map(\.file), outputs: [folder.path]).begin(options.logger)
      var fault = series.faults.first
      let prepared = try folder.prepare(name) { file throws(ReportError) in
        for segment in series.segments where fault == nil { fault = try segment.copy(to: file) }
      }
      if let fault {
        prepared.discard()
        ErrorOutput.write(fault.description)
        return .failure
      }
      try prepared.commit()
      if options.printsSummary {
        try StandardOutput.write(PartialMaking.said(path, captures: series.segments.count) + "\n")
      }
      return .success
    } catch {
      return ErrorOutput.report(error)
    }
  }
}
