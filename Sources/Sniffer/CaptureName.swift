import Capture
import Reports
import Shared

/// A name of captures on the command line: a file, a folder with captures, or a pattern of paths.
///
/// In a pattern `*` matches any part of a name, `?` one octet of it, and `**` also nested folders. The name of an existing file
/// is not a pattern.
struct CaptureName {
  private let text: String
  private let kind: Kind

  private enum Kind {
    case one
    case folder
    /// The folder before the first name that has a wildcard, and the rest; the folder is empty for the working directory.
    case pattern(folder: String, rest: String)
  }

  init(_ text: String) {
    self.text = text
    if text == "-" {
      kind = .one
    } else if CaptureCheck.isFolder(text) {
      kind = .folder
    } else if let first = text.firstIndex(where: { $0 == "*" || $0 == "?" }), !CaptureCheck.exists(text) {
      let folder = FileName.split(String(text[..<first])).folder
      kind = .pattern(folder: folder, rest: String(Substring(text.utf8.dropFirst(folder.utf8.count))))
    } else {
      kind = .one
    }
  }

  /// Whether it may name several captures.
  var isSeveral: Bool { if case .one = kind { false } else { true } }

  /// The folder and the files that must be readable to find the captures and to read them. No file is opened to know them.
  var reached: [String] {
    let files = (try? found(opens: false))?.paths ?? []
    guard case .pattern(let folder, _) = kind else { return [text] + files }
    return [folder.isEmpty ? "." : folder] + files
  }

  /// The default name for a folder of their reports.
  var outputName: String {
    switch kind {
    case .one: return text
    case .pattern(let folder, _): return folder + "captures"
    case .folder:
      var name = text
      while name.count > 1, name.hasSuffix("/") { name.removeLast() }
      let last = FileName.split(name).name
      return last.isEmpty || last == "." || last == ".." ? name + (last.isEmpty ? "" : "/") + "captures" : name
    }
  }

  /// The captures of a folder or a pattern; nil for a single capture.
  func found(opens: Bool = true) throws(CaptureError) -> FoundCaptures? {
    switch kind {
    case .one: return nil
    case .folder: return try FoundCaptures(inFolder: text, opens: opens)
    case .pattern(let folder, let rest):
      let pattern = NamePattern(rest, ignoresCase: false)
      let depth = rest.contains("**") ? nil : rest.split(separator: "/").count
      return try FoundCaptures(under: folder, depth: depth, opens: opens) { pattern.matches(Array($0.utf8)) }
    }
  }

  /// The notice about skipped files and folders; nil without any.
  func passedOver(_ found: FoundCaptures) -> String? {
    var parts: [String] = []
    if found.otherFiles > 0 {
      let isOne = found.otherFiles == 1
      parts.append(
        "\(Numerals.grouped(found.otherFiles)) \(isOne ? "file that is not a capture" : "files that are not captures")")
    }
    if found.otherFolders > 0 {
      parts.append("\(Numerals.grouped(found.otherFolders)) \(found.otherFolders == 1 ? "folder" : "folders") in it")
    }
    return parts.isEmpty ? nil : "skipped " + parts.joined(separator: ", and ")
  }
}
