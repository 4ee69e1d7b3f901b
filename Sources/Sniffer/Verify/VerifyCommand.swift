import ArgumentParser
import Capture
import EstimateReports
import Estimates
import Foundation
import HTTPReassembly
import Reports
import TableReading
import Tabular

/// `sniffer verify CAPTURE... --log FILE`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare an app's own traffic log with the wire, and name the cause of each difference.",
    discussion: """
      Reads the log of an app's monitor (CSV, SQLite or JSON), a HAR file, exported URLSession task metrics, curl's output about its \
      transfers, or Chrome's netlog. It finds the message on the wire for each row, and explains the difference of each figure. \
      With --output, verify.csv has a row for each row of the log, and for each message without one.

      Exit status: 0 all well; 1 the log or the input could not be read, no row matches or has a figure, or --tolerance is \
      for hosts with closed TLS; 2 the app's total differs from the wire's by more than --tolerance, or the ledger does not balance; 64 \
      wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @Option(help: ArgumentHelp("The app's log.", valueName: "file"), completion: .file())
  var log: String

  @OptionGroup(title: "How to read the log") var reading: LogReadingOptions

  @Option(
    help: ArgumentHelp(
      "Let a row's time differ from its message's by at most this many seconds, after the clocks' offset.",
      valueName: "seconds"))
  var matchWithin = 5.0

  @Option(
    help: ArgumentHelp(
      "Exit with 2 when the app's total differs from the wire's total of its hosts by more than this, as in 2%.",
      valueName: "share"))
  var tolerance: Share?

  @Option(
    help: ArgumentHelp(
      "The side of a proxy that the log is compared with, where the capture has both: client or server (default: the one that "
        + "fits).", valueName: "side"))
  var leg: ProxyLeg?

  @OptionGroup var document: DocumentArguments

  @OptionGroup var tables: TableOptions

  func validate() throws {
    let options = try tables.common(for: input.outputName)
    try document.check(options)
    if options.noDecode { throw ValidationError("verify needs bodies decoded: leave out --no-decode.") }
    guard (0...86_400).contains(matchWithin) else {
      throw ValidationError("--match-within needs seconds from 0 to 86400.")
    }
  }

  mutating func run() throws {
    let options = try tables.common(for: input.outputName)
    // A log that is a database may have files beside it, and fewer users may read these.
    let logs = SQLiteSource.suffixes.map { log + $0 }
    try options.leaveRoot(reading: input.reached + logs + reading.readFiles, writing: reading.writtenFolders)
    try input.findCaptures(isQuiet: options.quiet)
    let appLog: AppLog
    do {
      appLog = try LogReader(options: try reading.options(for: log)).read(log)
    } catch let error as LogError {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    for notice in appLog.notices { ErrorOutput.write("\(log): \(notice)") }

    var analysis = CaptureAnalysis(options: options, input: input, filter: try options.packetFilter())
    analysis.isDocument = document.json
    let output = try analysis.openFolder(writing: ReportFiles.verify(options.format.names))
    var page: HTMLReport?
    do throws(ReportError) { page = try options.page(in: output, reading: input.captures) } catch {
      analysis.report(error)
    }
    let sink = PagedMessages(WireTable(), page: page)
    var result: VerificationSummary?
    var described: (words: VerifyText, facts: RunFacts)?
    var closedHosts: Set<String> = []
    let isDocument = document.json
    var status = analysis.run(into: sink, observer: sink.observer) { sink, totals throws(ReportError) in
      sink.messages.consumer.sort()
      let wire = sink.messages.consumer
      let verification = Verification.comparing(
        appLog, wire.messages, timings: wire.timings, leftOut: wire.leftOut, closed: wire.closed,
        tolerance: Int64(matchWithin * 1_000_000_000), leg: leg)
      if leg != nil, verification.leg == nil, !options.quiet {
        ErrorOutput.write("the capture does not have both sides of a proxy: --leg changes nothing")
      }
      let summary = VerificationSummary(verification)
      result = summary
      let facts = RunFacts("verify", input.captures, totals.secrets, options)
      let words = VerifyText(verification, summary, redaction: options.redaction, facts: facts.lines(totals.span))
      described = (words, facts)
      closedHosts = verification.closedHosts
      if !options.printsSummary {
        for warning in words.warnings { ErrorOutput.write(warning) }
      }
      sink.page?.comparisons = PageComparison.sections(verification, summary, redaction: options.redaction)
      try sink.page?.finish(totals)
      if let output, options.format.names.contains(.csv) {
        let leftOut = try VerifyCSV.write(
          verification, folder: output, redaction: options.redaction,
          allowance: options.allowance(reading: input.captures))
        if !options.quiet, leftOut > 0 { ErrorOutput.write("verify.csv lacks \(leftOut) rows, beyond --max-report") }
      }
    } summarizing: { _, totals, folder in
      guard let (words, facts) = described else { return Summary.lastLine(totals.ledger) + "\n" }
      if isDocument { return words.document(totals, facts, written: folder?.written) }
      return words.text(for: .standardOutput) + Summary.lastLine(totals.ledger) + "\n"
    }
    if let result { status = judge(result, appLog, closedHosts, status) }
    if status != .success { throw ExitCode(status.rawValue) }
  }

  /// The exit status by the figures; its reason is printed if it is not success.
  private func judge(
    _ summary: VerificationSummary, _ log: AppLog, _ closedHosts: Set<String>, _ status: ExitStatus
  ) -> ExitStatus {
    guard summary.matched.count + summary.rowsWithoutFigures > 0 else {
      let hosts = Set(log.entries.map(\.host)).sorted().prefix(3).joined(separator: ", ")
      ErrorOutput.write(
        "nothing matches: no message on the wire has type, host and path of any of the log's \(log.entries.count) rows "
          + "(its hosts: \(hosts)); "
          + (closedHosts.isEmpty
            ? "is it the log of this app, and the capture of this run?"
            : "their connections of TLS are closed: give the key log with --keys"))
      return .failure
    }
    guard summary.hasFigures else {
      ErrorOutput.write(
        "nothing to verify: the log has no figure of bytes for any of its \(log.entries.count) rows with a message")
      return .failure
    }
    guard let tolerance, status == .success else { return status }
    guard closedHosts.isEmpty else {
      ErrorOutput.write(
        "the log's hosts have closed connections of TLS, which --tolerance cannot judge: give the key log with --keys")
      return .failure
    }
    guard let bias = summary.bias ?? summary.partsBias else {
      ErrorOutput.write("the log has no figure of whole messages for --tolerance to judge")
      return .exceeded
    }
    guard abs(bias) > tolerance.value else { return status }
    // A difference that is over the tolerance never looks like it.
    let hundredths = (min(abs(bias), 1e9) * 10_000).rounded(.up) / 100
    ErrorOutput.write("the app's total differs from the wire by \(hundredths)%, over \(tolerance.text)")
    return .exceeded
  }
}

extension ProxyLeg: ExpressibleByArgument {}
