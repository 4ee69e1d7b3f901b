import HTTPReassembly
import Tabular

extension ReportedAPIs {
  /// Makes the content of an analysis' report, without the report.
  ///
  /// - Parameters:
  ///   - totals: The totals of the analysis.
  ///   - name: The capture, as the user named it.
  ///   - grouping: The grouping of the totals.
  ///   - redaction: Hashes facts that may be personal; nil hashes nothing.
  ///   - choices: The user's choices for the run.
  package init(
    _ totals: Totals, name: String, grouping: Configuration.Grouping, redaction: Redaction?, choices: RunChoices
  ) {
    self.init(name: name)
    isByPath = grouping.path
    isByMethod = grouping.method
    isByProcess = grouping.process
    isRedacted = redaction != nil
    isComplete = true
    // The escaped form, as in a database.
    self.choices = RunChoices(
      template: choices.template, filter: TextEscaping.string(Array(choices.filter.utf8)), options: choices.options)
    beginHosts()
    for host in totals.hosts {
      var reported = ReportedHost()
      (reported.ip, reported.handshake, reported.unopened) = (host.ipLength, host.handshake, host.unopened)
      let name = totals.texts.octets(host.host)
      insert(redaction?.host(name) ?? name, reported)
    }
    for api in totals.apis {
      var reported = ReportedAPI()
      reported.figures = APICounts(api)
      reported.waitP50 = api.wait.percentile(50)
      reported.waitP95 = api.wait.percentile(95)
      insert(APIKey(api, totals.texts).redacted(redaction), reported)
    }
  }
}
