import ArgumentParser
import Estimates
import Foundation

/// How to read an app's log where its content does not say it.
struct LogReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the log: csv, sqlite, har or urlsession_metrics; told from the content unless given.",
      valueName: "format"
    ))
  var logFormat: LogFormat?

  @Option(
    help: ArgumentHelp(
      "What the log calls its columns, where it differs: host=Host,path=url_path,…", valueName: "names"))
  var columns: String?

  @Option(help: ArgumentHelp("The table of an SQLite log; found unless given.", valueName: "name"))
  var table: String?

  @Option(help: ArgumentHelp("What times that are plain numbers count.", valueName: "unit"))
  var timeUnit = LogTimeUnit.automatic

  @Option(
    help: ArgumentHelp(
      "The zone of times that name none, as in Europe/Rome or GMT+8; UTC unless given.", valueName: "zone"))
  var timeZone: String?

  func validate() throws { _ = try options }

  var options: LogOptions {
    get throws {
      var options = LogOptions()
      options.format = logFormat
      options.table = table
      options.timeUnit = timeUnit
      if let columns {
        do throws(LogError) { options.columns = try LogColumns(parsing: columns) } catch {
          throw ValidationError("--columns: \(error.description)")
        }
      }
      if let timeZone {
        guard let zone = TimeZone(identifier: timeZone) ?? TimeZone(abbreviation: timeZone) else {
          throw ValidationError("--time-zone: there is no zone '\(timeZone)'")
        }
        options.timeZone = zone
      }
      return options
    }
  }
}

extension LogFormat: ExpressibleByArgument {}
extension LogTimeUnit: ExpressibleByArgument {}
