import ArgumentParser
import Capture
import Cryptography
import Partials
import ProcessConfinement
import Reports
import Shared
import SystemPackage
import Tabular

/// `sniffer CAPTURE... -o FOLDER --resume`: analyzes captures one by one. The result of each is kept in the folder of the
/// reports, so that the next run continues where this one ended.
struct ResumedAnalysis {
  private let options: CommonOptions
  private let captures: [String]
  private let filter: PacketFilter?
  private let interval: IntervalOption
  private let showsProgress: Bool
  /// The partials' folder in the folder of the reports.
  private static let folderName = "partials"

  /// Prepares to read captures.
  init(
    options: CommonOptions, captures: [String], filter: PacketFilter?, interval: IntervalOption, showsProgress: Bool
  ) {
    self.options = options
    self.captures = captures
    self.filter = filter
    self.interval = interval
    self.showsProgress = showsProgress
  }

  /// Makes the missing partials, and the reports of all.
  ///
  /// - Throws: An exit status other than success.
  func run(_ summary: SummaryArguments) throws {
    guard let output = options.output else { return }
    let path = output + "/" + Self.folderName
    let folder = try usable { () throws(ReportError) in try ReportFolder(path, writing: [], of: []) }
    defer { folder.release() }
    let names = captures.map(Self.partialName)
    // A partial of a capture before its last change fits no capture any more.
    Self.removeOthers(in: path, of: names)
    var making = PartialMaking(
      options: options, captures: captures, filter: filter, interval: interval.nanoseconds, showsProgress: showsProgress
    )
    making.isPart = true
    let partials = names.map { path + "/" + $0 }
    Confinement(inputs: captures + partials + options.keyLogs, outputs: [output]).begin(options.logger)
    try making.prepare()
    try make(zip(captures, partials).filter { !making.fits($1, $0) }, &making)
    // A capture whose packets are needed is analyzed again only once, so this ends.
    for _ in 0...captures.count {
      let series = try usable { () throws(PartialError) in try PartialSeries(partials, mayRepeat: true) }
      var analysis = CaptureAnalysis(options: options, partials: series, showsProgress: showsProgress)
      analysis.isConfined = true
      analysis.mayAskForPackets = true
      try analysis.run(summary, interval)
      guard let needed = analysis.partialThatNeedsPackets else { return }
      making.keepsPackets = true
      try make(zip(captures, partials).filter { $1 == needed }, &making)
    }
  }

  private func make(_ work: [(capture: String, partial: String)], _ making: inout PartialMaking) throws {
    making.begin(work.map(\.capture))
    for (index, item) in work.enumerated() {
      let status = making.make(item.capture, to: item.partial)
      guard StopSignals.received == nil, status == .success else {
        let left = work.count - index
        ErrorOutput.write(
          "\(left == 1 ? "1 capture is" : "\(left) captures are") not analyzed: the same command goes on from here")
        throw ExitCode(status.rawValue)
      }
    }
  }

  // MARK: Names

  /// The name of the partial of a capture, made of its path, its length, and the time of its last change.
  private static func partialName(_ capture: String) -> String {
    let status = OpenFile.status(at: capture)
    let changed = status?.st_mtim
    let facts = "\(status?.size ?? 0) \(changed?.tv_sec ?? 0) \(changed?.tv_nsec ?? 0)"
    return prefix(OpenFile.target(of: capture) ?? capture) + SHA256.text(of: Array(facts.utf8)).prefix(16) + ".partial"
  }

  /// The prefix of the names of a file's partials.
  private static func prefix(_ path: String) -> String { SHA256.text(of: FileName.octets(of: path)).prefix(16) + "-" }

  private static func removeOthers(in path: String, of names: [String]) {
    let prefixes = Set(names.map { $0.prefix(17) })
    let names = Set(names)
    guard let folder = try? OpenFile.folder(path) else { return }
    for name in (try? FolderListing.names(in: path)) ?? []
    where name.hasSuffix(".partial") && prefixes.contains(name.prefix(17)) && !names.contains(name) {
      try? folder.remove(name)
    }
  }

  private func usable<Result, Failure: Error & CustomStringConvertible>(
    _ body: () throws(Failure) -> Result
  ) throws -> Result {
    do throws(Failure) { return try body() } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }
}
