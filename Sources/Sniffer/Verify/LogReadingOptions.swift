import ArgumentParser
import Estimates
import Foundation
import SystemPackage
import Tabular

/// Facts for reading an app's log that its content does not tell.
struct LogReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the log: csv, sqlite, json, har, urlsession_metrics, curl or netlog (default: detected from the content).",
      valueName: "format"
    ))
  var logFormat: LogFormat?

  @Option(
    name: [.long, .customLong("map")],
    help: ArgumentHelp(
      "The log's names for columns, where they differ: host=Host,path=url_path,…; on a terminal, unknown ones are asked for.",
      valueName: "names"))
  var columns: String?

  @Option(
    help: ArgumentHelp(
      "File with the log's names for columns, a line NAME=COLUMN each; answers to questions are written there.",
      valueName: "file"), completion: .file())
  var mapFile: String?

  @Option(help: ArgumentHelp("The table of an SQLite log (default: found by its columns).", valueName: "name"))
  var table: String?

  @Option(help: ArgumentHelp("The unit of times that are plain numbers.", valueName: "unit"))
  var timeUnit = LogTimeUnit.automatic

  @Option(
    help: ArgumentHelp(
      "The zone of times without one, as in Europe/Rome or GMT+8 (default: UTC).", valueName: "zone"))
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

extension LogReadingOptions {
  /// Files that are read besides the log.
  var readFiles: [String] { [mapFile].compactMap(\.self) }

  /// Folders in which a file may be written: the folder of a new file of columns.
  var writtenFolders: [String] {
    guard let mapFile, OpenFile.status(at: mapFile) == nil else { return [] }
    return [OutputFolder.split(mapFile).folder]
  }

  /// The options for reading `log`: from the command line, then from the file of columns, then from a person at the terminal.
  /// These answers are written into the file for the next time. Throws a `LogError` for a file that cannot be used.
  func options(for log: String) throws -> LogOptions {
    var options = try options
    var isNew = false
    if let mapFile {
      if let file = try Self.mapping(mapFile) {
        options.columns.names.merge(file.columns.names) { given, _ in given }
        options.table = options.table ?? file.table
      } else if ColumnQuestions.areAnswered {
        isNew = true
      } else {
        throw LogError("\(mapFile): there is no such file, and nobody at a terminal to ask for the columns")
      }
    }
    guard ColumnQuestions.areAnswered, let answered = try ColumnQuestions.mapping(of: log, options) else {
      return options
    }
    options.columns = answered.columns
    options.table = answered.table
    guard let mapFile else { return options }
    let text = try answered.text(of: log)
    let (parent, name) = OutputFolder.split(mapFile)
    do throws(ReportError) {
      let folder = try OutputFolder(parent)
      // A file that appeared while the questions were answered belongs to another program.
      guard !isNew || !folder.contains(name) else { throw ReportError(.create, mapFile, .fileExists) }
      try folder.replace(name) { file throws(ReportError) in try file.append(Array(text.utf8)) }
    } catch {
      throw LogError(error.description)
    }
    return options
  }

  /// The mapping in a file; nil when there is no such file.
  private static func mapping(_ path: String) throws(LogError) -> LogMapping? {
    guard OpenFile.status(at: path) != nil else { return nil }
    let octets: [UInt8]
    do throws(ShortFile.Fault) { octets = try ShortFile.octets(of: path, limit: LogMapping.longest) } catch {
      throw LogError("\(path): \(error.description)")
    }
    guard let text = String(validating: octets, as: UTF8.self) else { throw LogError("\(path): is not UTF-8") }
    return try LogMapping(parsing: text, file: path)
  }
}

extension LogFormat: ExpressibleByArgument {}
extension LogTimeUnit: ExpressibleByArgument {}
