import Foundation

extension FileManager {
  /// What a person sees in a folder, in the order of the names: the lock and the mark of a folder of reports are hidden.
  func visibleNames(_ folder: String) throws -> [String] {
    try contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
  }
}
