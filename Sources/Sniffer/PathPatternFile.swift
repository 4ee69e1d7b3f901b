import ArgumentParser
import Foundation
import Reports

/// The patterns of a file that `--templates` names.
struct PathPatternFile: Sendable {
  /// The patterns for `Configuration.pathPatterns`.
  let patterns: [[UInt8]]

  /// Reads a file.
  ///
  /// - Throws: `ValidationError`; the option and the value are printed before its text.
  init(path: String) throws {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw ValidationError("there is no such file, or this user may not read it.")
    }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: TemplateFile.sizeLimit + 1) ?? Data() else {
      throw ValidationError("cannot be read.")
    }
    guard data.count <= TemplateFile.sizeLimit else {
      throw ValidationError("has more than \(TemplateFile.sizeLimit) bytes.")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ValidationError("is not UTF-8.")
    }
    do throws(TemplateFileError) {
      patterns = try TemplateFile.patterns(in: text)
    } catch {
      throw ValidationError("\(error.description).")
    }
  }
}
