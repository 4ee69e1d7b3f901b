import Foundation

/// Inputs that mean something to their targets, for others to be made of.
package struct Seeds {
  /// The inputs of each target, by its name.
  package private(set) var inputs: [String: [[UInt8]]] = [:]
  private let limit: Int

  /// Seeds made of captures and logs, at most `limit` for a target: more would only be read again and again.
  ///
  /// - Parameters:
  ///   - root: The folder of the repository.
  ///   - limit: Inputs of one target.
  /// - Throws: When a file cannot be read, or is not what its name says.
  package init(of root: URL, limit: Int) throws {
    self.limit = limit
    let captures = root.appendingPathComponent("captures")
    for name in try FileManager.default.contentsOfDirectory(atPath: captures.path).sorted()
    where [".pcap", ".pcapng", ".gz", ".zst"].contains(where: { name.hasSuffix($0) }) {
      let path = captures.appendingPathComponent(name).path
      try addCapture(path)
      try addPackets(path)
      try addMessages(path)
    }
    addFrames()
    try addLogs(root.appendingPathComponent("Tests/EstimatesTests/Logs/Fixtures"))
    let tls = captures.appendingPathComponent("tls/suites").path
    try addTLS(tls + ".pcap.gz", keys: tls + ".keys")
    try addQUIC(captures.appendingPathComponent("quic.pcap.gz").path)
    addQUICFrames()
    addWebSockets()
    addEventStreams()
    // What none of these makes: contents that libraries coded, whose code is not instrumented.
    for target in FuzzTarget.all {
      let folder = root.appendingPathComponent("Fuzz/Seeds/content/\(target.name)").path
      for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
        add([UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))), to: target)
      }
    }
  }

  /// Adds a seed, cut to what the target takes, unless there are enough.
  mutating func add(_ octets: [UInt8], to target: FuzzTarget) {
    guard inputs[target.name, default: []].count < limit else { return }
    inputs[target.name, default: []].append(Array(octets.prefix(target.longestInput)))
  }
}
