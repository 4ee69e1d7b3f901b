import ArgumentParser
import Capture
import Cryptography
import Foundation
import HTTPReassembly
import ProcessConfinement
import Reports
import Tabular

/// The options for the analysis of captures, common to all commands that analyze.
struct AnalysisOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Analyze only packets that match this pcap-filter(7) expression.", valueName: "bpf"))
  var filter: String?

  @Option(
    help: ArgumentHelp("Group totals by host, path, method and process: a list with host.", valueName: "keys"))
  var groupBy = NameList<GroupingKey>([.host, .path])

  @Flag(help: "Group paths whose segments look like identifiers: /users/{id}.")
  var template = false

  @Option(
    help: ArgumentHelp(
      "With --template, distinguish this many values of a segment, and show further ones as {…}; 0 for all.",
      valueName: "number"))
  var templateLimit = 200

  @Option(
    help: ArgumentHelp(
      "Group paths by the patterns in this file, one a line, as in /users/{id}, or by the paths of an OpenAPI description.",
      valueName: "file"), completion: .file(), transform: PathPatternFile.init(path:))
  var templates: PathPatternFile?

  @Flag(help: "Count bodies as transferred, and do not decompress them.")
  var noDecode = false

  @Option(
    help: ArgumentHelp(
      "Decompress at most this many MiB of a body; the decoded length of a longer one stays unknown.",
      valueName: "mib"))
  var decodeLimit = Configuration().decodedContentLimit >> 20

  @Option(
    help: ArgumentHelp(
      """
      Open TLS with the secrets in this key log, which may still be growing (repeatable; default: the file in the \
      environment variable SSLKEYLOGFILE).
      """,
      valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Flag(help: "Leave out TCP segments with a wrong checksum.")
  var verifyChecksums = false

  @Flag(help: "Hash facts that may be personal: addresses, and paths beyond the first segment.")
  var redact = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Finish connections after this many seconds of capture time without a packet.", valueName: "s"))
  var idleTimeout = 600.0

  @Option(
    help: ArgumentHelp(
      "Use at most this many threads to read ahead, decode, count and write (default: one per processor).",
      valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if !groupBy.names.contains(.host) { throw ValidationError("--group-by needs host.") }
    _ = try packetFilter()
    if !(idleTimeout > 0 && idleTimeout < 1e9) {
      throw ValidationError("--idle-timeout needs a number of seconds above 0.")
    }
    if !(1...Self.largestDecodeLimit ~= decodeLimit) {
      throw ValidationError("--decode-limit needs a number of MiB from 1 to \(Self.largestDecodeLimit).")
    }
    if templateLimit < 0 { throw ValidationError("--template-limit needs a number from 0 on.") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs needs a number from 1 on.") }
  }

  /// 1 TiB: beyond any body.
  private static let largestDecodeLimit = 1 << 20

  /// The number of threads to use.
  var threads: Int { jobs ?? ProcessorCount.available }

  /// The limits and choices of the analysis.
  var configuration: Configuration {
    var configuration = Configuration()
    configuration.grouping = Configuration.Grouping(
      path: groupBy.names.contains(.path), method: groupBy.names.contains(.method),
      process: groupBy.names.contains(.process))
    configuration.templatePaths = template
    configuration.segmentValueLimit = templateLimit
    configuration.pathPatterns = templates?.patterns ?? []
    configuration.decodesContent = !noDecode
    configuration.decodedContentLimit = decodeLimit << 20
    configuration.verifiesChecksums = verifyChecksums
    configuration.idleTimeout = Int64(idleTimeout * 1e9)
    configuration.closedTimeout = min(configuration.closedTimeout, configuration.idleTimeout)
    return configuration
  }

  /// The key logs: the given ones, else the file that this user's programs write to, if it exists.
  var keyLogs: [String] {
    if !keys.isEmpty { return keys }
    guard let path = ProcessInfo.processInfo.environment["SSLKEYLOGFILE"], !path.isEmpty,
      (try? OpenFile.reading(path)) != nil
    else { return [] }
    return [path]
  }

  /// The filter, compiled once, so that a mistake is a usage error.
  func packetFilter() throws -> PacketFilter? {
    do throws(CaptureError) {
      return try filter.map { expression throws(CaptureError) in try PacketFilter(expression) }
    } catch {
      throw ValidationError("--filter '\(filter ?? "")': \(error.description)")
    }
  }

  /// The options that change facts about connections and messages, and differ from the defaults.
  private func changedOptions(withTemplates: Bool) -> [String] {
    var options: [String] = []
    if noDecode { options.append("--no-decode") }
    if decodeLimit != Configuration().decodedContentLimit >> 20 { options.append("--decode-limit \(decodeLimit)") }
    if verifyChecksums { options.append("--verify-checksums") }
    if withTemplates, template, templateLimit != Configuration().segmentValueLimit {
      options.append("--template-limit \(templateLimit)")
    }
    if idleTimeout != 600 { options.append("--idle-timeout \(idleTimeout)") }
    return options
  }

  /// Those of the options that partials and their merged analysis must share.
  var partialOptions: String {
    (changedOptions(withTemplates: false) + [filter.map { "--filter '\($0)'" }].compactMap(\.self))
      .joined(separator: " ")
  }

  /// The user's choices, for the report.
  var choices: RunChoices {
    let options = changedOptions(withTemplates: true)
    let templates = [templates == nil ? nil : "patterns", template ? "identifiers" : nil].compactMap(\.self)
    return RunChoices(
      template: templates.joined(separator: ","), filter: filter ?? "", options: options.joined(separator: " "))
  }

  /// It uses SHA-256, so that the same text becomes the same pseudonym in every report.
  var redaction: Redaction? { redact ? Redaction(digest: SHA256.digest) : nil }
}
