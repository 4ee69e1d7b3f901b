/// Patterns that users give for the paths of their APIs, and a search for the pattern of a path.
///
/// A pattern is a path whose segments have placeholders: `/users/{id}`, `/files/{name}.png`, `/items/*` for any one segment, `/static/**`
/// for any rest. If several patterns fit, the first differing segment decides. Text wins over text with a placeholder, this over a
/// placeholder alone, and this over a rest. A path visits each segment of the patterns at most once.
package struct PathPatterns: Sendable {
  /// A segment that a pattern has at this place.
  private struct Branch {
    var segment: Segment
    var node: Int

    /// Whether it comes before another one: with more text, or of an earlier pattern.
    func precedes(_ other: Branch) -> Bool {
      let (mine, others) = (segment.length, other.segment.length)
      return mine == others ? node < other.node : mine > others
    }
  }

  /// The segments with placeholders at one place. They are found by the texts at both ends, so that a path is not held against each.
  private struct Branches {
    /// The texts at both ends of a segment.
    private struct Ends: Hashable {
      var first: ArraySlice<UInt8>
      var last: ArraySlice<UInt8>

      init(first: ArraySlice<UInt8>, last: ArraySlice<UInt8>) { (self.first, self.last) = (first, last) }

      init(_ segment: Segment) { self.init(first: segment.first[...], last: segment.last[...]) }
    }

    /// The lengths of these texts.
    private struct Lengths: Hashable {
      var first: Int
      var last: Int
    }

    /// The node of each segment, by its texts.
    private var nodes: [Ends: [Segment: Int]] = [:]
    private var lengths: Set<Lengths> = []

    /// The node of a segment.
    subscript(segment: Segment) -> Int? {
      get { nodes[Ends(segment)]?[segment] }
      set {
        nodes[Ends(segment), default: [:]][segment] = newValue
        lengths.insert(Lengths(first: segment.first.count, last: segment.last.count))
      }
    }

    /// The branches that fit a segment, in the order in which they are tried.
    func fitting(_ octets: ArraySlice<UInt8>) -> [Branch] {
      var found: [Branch] = []
      for length in lengths where length.first + length.last < octets.count {
        let ends = Ends(first: octets.prefix(length.first), last: octets.suffix(length.last))
        let fitting = nodes[ends, default: [:]].filter { $0.key.fits(octets) }
        found += fitting.map { Branch(segment: $0.key, node: $0.value) }
      }
      return found.count > 1 ? found.sorted { $0.precedes($1) } : found
    }
  }

  private struct Node {
    var texts: [[UInt8]: Int] = [:]
    /// Segments with placeholders.
    var branches = Branches()
    /// The pattern that ends here.
    var pattern: [UInt8]?
    /// The pattern that takes any rest.
    var rest: [UInt8]?
  }

  /// A segment with placeholders: the texts before, between and behind them.
  private struct Segment: Hashable {
    var texts: [[UInt8]]

    init?(_ octets: ArraySlice<UInt8>) {
      if octets.elementsEqual([UInt8(ascii: "*")]) {
        texts = [[], []]
        return
      }
      texts = [[]]
      var isInside = false
      for octet in octets {
        if octet == UInt8(ascii: "{"), !isInside {
          isInside = true
        } else if octet == UInt8(ascii: "}"), isInside {
          isInside = false
          texts.append([])
        } else if !isInside {
          texts[texts.count - 1].append(octet)
        }
      }
      guard texts.count > 1, !isInside else { return nil }
    }

    /// The text before the first placeholder.
    var first: [UInt8] { texts[0] }
    /// The text behind the last placeholder.
    var last: [UInt8] { texts[texts.count - 1] }
    /// Octets of all texts.
    var length: Int { texts.reduce(0) { $0 + $1.count } }

    /// Whether a segment fits, with at least one octet for each placeholder.
    func fits(_ octets: ArraySlice<UInt8>) -> Bool {
      guard octets.starts(with: first) else { return false }
      var rest = octets.dropFirst(first.count)
      for text in texts.dropFirst().dropLast() {
        // The earliest place leaves the most for the following texts.
        guard
          let start = rest.indices.dropFirst().first(where: { index in
            rest.endIndex - index >= text.count && rest[index..<index + text.count].elementsEqual(text)
          })
        else { return false }
        rest = rest[(start + text.count)...]
      }
      return rest.count > last.count && rest.suffix(last.count).elementsEqual(last)
    }
  }

  private var nodes = [Node()]

  /// Creates a set of patterns. Of equal patterns, the first counts.
  package init(_ patterns: [[UInt8]]) {
    for pattern in patterns { add(pattern) }
  }

  private mutating func add(_ pattern: [UInt8]) {
    var node = 0
    let segments = pattern.split(separator: ASCII.slash, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      if index == segments.count - 1, segment.elementsEqual(Array("**".utf8)) {
        nodes[node].rest = nodes[node].rest ?? pattern
        return
      }
      node = child(of: node, segment)
    }
    nodes[node].pattern = nodes[node].pattern ?? pattern
  }

  private mutating func child(of node: Int, _ octets: ArraySlice<UInt8>) -> Int {
    guard let segment = Segment(octets) else {
      let text = Array(octets)
      if let known = nodes[node].texts[text] { return known }
      nodes.append(Node())
      nodes[node].texts[text] = nodes.count - 1
      return nodes.count - 1
    }
    if let known = nodes[node].branches[segment] { return known }
    nodes.append(Node())
    nodes[node].branches[segment] = nodes.count - 1
    return nodes.count - 1
  }

  /// The pattern of a path; nil if none fits.
  package func pattern(for path: [UInt8]) -> [UInt8]? {
    pattern(from: 0, path.split(separator: ASCII.slash, omittingEmptySubsequences: false)[...])
  }

  private func pattern(from node: Int, _ segments: ArraySlice<ArraySlice<UInt8>>) -> [UInt8]? {
    guard let first = segments.first else { return nodes[node].pattern }
    let others = segments.dropFirst()
    if let next = nodes[node].texts[Array(first)], let found = pattern(from: next, others) { return found }
    for branch in nodes[node].branches.fitting(first) {
      if let found = pattern(from: branch.node, others) { return found }
    }
    return nodes[node].rest
  }
}

/// The templates of paths in a run: first the given patterns, then `PathTemplate` if asked for.
package struct PathTemplates: Sendable {
  private let patterns: PathPatterns?
  private let guesses: Bool

  /// Creates the templates of a configuration.
  package init(_ configuration: Configuration) {
    patterns = configuration.pathPatterns.isEmpty ? nil : PathPatterns(configuration.pathPatterns)
    guesses = configuration.templatePaths
  }

  /// Whether every path is its own template.
  package var isIdentity: Bool { patterns == nil && !guesses }

  /// The template of a host's path. If no pattern fits, segments with too many values are folded.
  package func template(of path: [UInt8], host: [UInt8], _ segments: inout SegmentGuard) -> [UInt8] {
    if let found = patterns?.pattern(for: path) { return found }
    return guesses ? segments.fold(PathTemplate.template(of: path), of: host) : path
  }
}
