import Foundation
import HTTPReassembly
import Tabular
import Yams

/// A file of limits: YAML 1.1, a mapping with the one key `limits`, a list of rules. Unknown keys are errors, so that a misspelt
/// limit does not pass for a kept one.
package enum BudgetFile {
  /// More than people write, and little enough to be read whole.
  private static let sizeLimit = 256 << 10
  /// The keys of a rule besides limits.
  private static let ruleKeys = ["host", "path", "method", "process", "step", "per"]

  /// Reads a file.
  ///
  /// - Throws: The fault and its line.
  package static func read(_ path: String) throws(BudgetError) -> [BudgetRule] {
    let octets: [UInt8]
    do throws(ShortFile.Fault) { octets = try ShortFile.octets(of: path, limit: sizeLimit) } catch {
      throw BudgetError(path, error.description)
    }
    guard let text = String(validating: octets, as: UTF8.self) else { throw BudgetError(path, "is not UTF-8") }
    return try rules(text, file: path)
  }

  /// Reads the text of a file; `file` is its name in errors.
  package static func rules(_ text: String, file: String) throws(BudgetError) -> [BudgetRule] {
    guard let root = try root(text, file) else { throw BudgetError(file, "is empty; it needs a list of limits") }
    guard let mapping = root.mapping else {
      throw BudgetError(file, line: root.mark?.line, "expected a mapping with the key limits")
    }
    var list: Node.Sequence?
    for (key, value) in mapping {
      guard key.scalar?.string == "limits" else {
        throw BudgetError(
          file, line: key.mark?.line, "unknown key \(shown(key)); there is only limits")
      }
      guard let sequence = value.sequence else {
        throw BudgetError(file, line: value.mark?.line, "limits is not a list: each rule begins with a dash")
      }
      list = sequence
    }
    guard let list, !list.isEmpty else { throw BudgetError(file, "has no limits") }
    var rules: [BudgetRule] = []
    for node in list { rules.append(try rule(node, file)) }
    return rules
  }

  /// Checks that an analysis can apply the rules of a file.
  ///
  /// - Throws: When a rule is about methods or paths, and totals are not grouped by them, or about steps, and no marks are given.
  package static func check(
    _ rules: [BudgetRule], of file: String, grouping: Configuration.Grouping, hasMarks: Bool
  ) throws(BudgetError) {
    for rule in rules {
      if rule.scope == .step, !hasMarks { throw BudgetError(file, line: rule.line, "step needs --marks FILE") }
      if rule.method != nil, !grouping.method {
        throw BudgetError(file, line: rule.line, "method needs --group-by host,path,method")
      }
      if rule.process != nil, !grouping.process {
        throw BudgetError(file, line: rule.line, "process needs --group-by process,host,path")
      }
      if rule.path.text != "**", !grouping.path {
        throw BudgetError(file, line: rule.line, "path needs --group-by with path")
      }
    }
  }

  private static func rule(_ node: Node, _ file: String) throws(BudgetError) -> BudgetRule {
    let line = node.mark?.line ?? 0
    guard let mapping = node.mapping else {
      throw BudgetError(file, line: line, "expected a rule: host, path and limits")
    }
    var words: [String: String] = [:]
    var limits: [BudgetLimit] = []
    for (key, value) in mapping {
      let line = key.mark?.line ?? line
      guard let name = key.scalar?.string, ruleKeys.contains(name) || BudgetFigure(key: name) != nil else {
        let known = ruleKeys + BudgetFigure.allCases.map(\.rawValue)
        throw BudgetError(
          file, line: line, "unknown key \(shown(key)); known are \(known.joined(separator: ", "))")
      }
      guard let text = value.scalar?.string, !text.isEmpty else {
        throw BudgetError(file, line: line, "\(name) needs a value")
      }
      guard let figure = BudgetFigure(key: name) else {
        words[name] = text
        continue
      }
      guard let limit = BudgetLimit(figure, text) else {
        throw BudgetError(
          file, line: line, "\(name): expected \(BudgetLimit.expectation(figure.unit)), found \(shown(value))")
      }
      limits.append(limit)
    }
    guard let scope = BudgetRule.Scope(rawValue: words["per"] ?? (words["step"] == nil ? "api" : "step")) else {
      throw BudgetError(
        file, line: line, "per: expected api, request, host, match or step, found '\(words["per"] ?? "")'")
    }
    guard ["host", "path", "process", "step"].contains(where: { words[$0] != nil }) else {
      throw BudgetError(file, line: line, "a rule needs a host, a path, a process or a step")
    }
    try checkStep(scope, words, limits, file, line: line)
    guard !limits.isEmpty else { throw BudgetError(file, line: line, "a rule without a limit") }
    if scope == .request, let limit = limits.first(where: { $0.figure.unit != .octets }) {
      throw BudgetError(file, line: line, "\(limit.figure.rawValue) is not counted by request")
    }
    if scope == .host {
      if let limit = limits.first(where: { !$0.figure.isOfHosts }) {
        let known = BudgetFigure.allCases.filter(\.isOfHosts).map(\.rawValue).joined(separator: ", ")
        throw BudgetError(file, line: line, "\(limit.figure.rawValue) is not counted by host, only \(known)")
      }
      if let word = ["path", "method", "process"].first(where: { words[$0] != nil }) {
        throw BudgetError(file, line: line, "per: host counts whole connections, and takes no \(word)")
      }
    } else if let limit = limits.first(where: \.figure.isOfConnections),
      scope != .match || words["path"] != nil || words["method"] != nil || words["process"] != nil
    {
      throw BudgetError(
        file, line: line,
        "\(limit.figure.rawValue) is counted by host: it needs per: host or per: match, a host, and no path, method or process"
      )
    }
    return BudgetRule(
      line: line, host: NamePattern(words["host"] ?? "**", ignoresCase: true),
      path: NamePattern(words["path"] ?? "**", ignoresCase: false), method: words["method"],
      process: words["process"].map { NamePattern($0, ignoresCase: false) },
      step: words["step"].map { NamePattern($0, ignoresCase: false) }, scope: scope,
      limits: limits)
  }

  /// Checks that a rule with a step is about nothing else.
  private static func checkStep(
    _ scope: BudgetRule.Scope, _ words: [String: String], _ limits: [BudgetLimit], _ file: String, line: Int
  ) throws(BudgetError) {
    guard scope == .step || words["step"] != nil else { return }
    guard scope == .step, words["step"] != nil, words.keys.allSatisfy({ $0 == "step" || $0 == "per" }) else {
      throw BudgetError(
        file, line: line, "a step has all bytes of its time: its rule takes no host, path, method, process or other per"
      )
    }
    if let limit = limits.first(where: { !$0.figure.isOfSteps }) {
      let known = BudgetFigure.allCases.filter(\.isOfSteps).map(\.rawValue).joined(separator: ", ")
      throw BudgetError(file, line: line, "\(limit.figure.rawValue) is not counted by step, only \(known)")
    }
  }

  private static func root(_ text: String, _ file: String) throws(BudgetError) -> Node? {
    do { return try Yams.compose(yaml: text) } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        // For YAML `host: *.example.com` is an alias, and its error does not help.
        let isStar = line(mark.line, of: text).contains("*")
        throw BudgetError(
          file, line: mark.line, problem + (isStar ? " (a value that begins with * needs quotes)" : ""))
      case .duplicatedKeysInMapping(let duplicates, let context):
        throw BudgetError(
          file, line: context.mark.line, "the key \(duplicates.sorted().joined(separator: ", ")) twice")
      case .reader(let problem, _, _, _): throw BudgetError(file, "is not YAML: \(problem)")
      default: throw BudgetError(file, "is not YAML")
      }
    } catch {
      throw BudgetError(file, "is not YAML")
    }
  }

  private static func line(_ number: Int, of text: String) -> Substring {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.contains(number - 1) ? lines[number - 1] : ""
  }

  private static func shown(_ node: Node) -> String {
    guard let text = node.scalar?.string else { return "a list or mapping" }
    return "'" + (text.count > 40 ? text.prefix(40) + "…" : text[...]) + "'"
  }
}

/// The reason why a file of limits could not be read. The description is one line with the file's name and, if known, the line
/// number. Text from the file is not escaped.
package struct BudgetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people.
  package let description: String

  init(_ file: String, line: Int? = nil, _ problem: String) {
    description = file + ": " + (line.map { "line \($0): " } ?? "") + problem
  }
}
