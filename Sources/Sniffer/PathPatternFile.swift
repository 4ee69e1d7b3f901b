import ArgumentParser
import Reports
import Tabular

/// The patterns of a file that `--templates` names.
struct PathPatternFile: Sendable {
  /// The patterns for `Configuration.pathPatterns`.
  let patterns: [[UInt8]]

  /// Reads a file.
  ///
  /// - Throws: `ValidationError`; the option and the value are printed before its text.
  init(path: String) throws {
    let octets: [UInt8]
    do throws(ShortFile.Fault) { octets = try ShortFile.octets(of: path, limit: TemplateFile.sizeLimit) } catch {
      throw ValidationError("\(error.description).")
    }
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw ValidationError("is not UTF-8.")
    }
    do throws(TemplateFileError) {
      patterns = try TemplateFile.patterns(in: text)
    } catch {
      throw ValidationError("\(error.description).")
    }
  }
}
