import HTTPReassembly
import Tabular

extension ReportedAPIs {
  /// What a report of an analysis would have, without the report.
  ///
  /// - Parameters:
  ///   - totals: The totals of the analysis.
  ///   - name: The capture, as the user named it.
  ///   - grouping: What the totals are grouped by.
  ///   - redaction: Hashes what may be personal; nil: nothing is hashed.
  ///   - choices: What the run was asked to do.
  package init(
    _ totals: Totals, name: String, grouping: Configuration.Grouping, redaction: Redaction?, choices: RunChoices
  ) {
    self.init(name: name)
    isByPath = grouping.path
    isByMethod = grouping.method
    isByProcess = grouping.process
    isRedacted = redaction != nil
    isComplete = true
    // As a database has it.
    self.choices = RunChoices(
      template: choices.template, filter: TextEscaping.string(Array(choices.filter.utf8)), options: choices.options)
    handshake = totals.hosts.reduce(0) { $0 + $1.handshake }
    for api in totals.apis {
      var reported = ReportedAPI()
      reported.figures = APICounts(api)
      reported.waitP50 = api.wait.percentile(50)
      reported.waitP95 = api.wait.percentile(95)
      insert(APIKey(api, totals.texts).redacted(redaction), reported)
    }
  }
}
