import Reports

extension Guide {
  /// The ways whose needs are at hand; all of them where that is not known.
  static func ways(on platform: Platform, having: [Need]?) -> (captures: [Way], keys: [Way]) {
    func possible(_ ways: [Way]) -> [Way] {
      guard let having else { return ways }
      return ways.filter { $0.needs.allSatisfy { having.contains($0) } }
    }
    return (possible(captures(on: platform)), possible(keys(on: platform)))
  }

  /// The guide for a terminal.
  static func text(on platform: Platform, having: [Need]?, width: Int) -> String {
    let ways = ways(on: platform, having: having)
    var lines: [String] = []
    var number = 0
    func add(_ heading: String, _ ways: [Way]) {
      guard !ways.isEmpty else { return }
      number += 1
      lines.append("\(number) \(heading)")
      for way in ways {
        if way.title != heading { lines.append("  " + way.title) }
        for step in way.steps {
          lines += step.text.wrapped(to: max(width - 4, 36)).map { "    " + $0 }
          lines += step.code.map { "      " + $0 }
        }
      }
      lines.append("")
    }
    lines += ["\(platform.title)", ""]
    if ways.captures.isEmpty {
      lines += ["With these nothing can be captured there; see all ways: sniffer guide \(platform.rawValue)", ""]
    }
    add("Packets", ways.captures)
    add("Keys, to see inside TLS", ways.keys)
    add("Count", [last])
    lines.append("This as a page: docs/quick-start/\(platform.rawValue).md")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The guide as a page of the documentation.
  static func page(on platform: Platform) -> String {
    var lines = [
      "# Quick start: \(platform.title)", "",
      "`sniffer guide \(platform.rawValue) --page` wrote this page. `sniffer guide` asks what is at hand, and shows the ways that fit.",
    ]
    func add(_ heading: String, _ ways: [Way]) {
      lines += ["", "## " + heading]
      for way in ways {
        if way.title != heading { lines += ["", "### " + way.title] }
        if !way.needs.isEmpty {
          lines += ["", "Needs: " + way.needs.map(\.question).joined(separator: "; ") + "."]
        }
        for step in way.steps {
          lines += [""] + step.text.wrapped(to: 132)
          if !step.code.isEmpty { lines += ["", "```\(step.language)"] + step.code + ["```"] }
        }
      }
    }
    add("Packets", captures(on: platform))
    add("Keys, to see inside TLS", keys(on: platform))
    add("Count", [last])
    return lines.joined(separator: "\n") + "\n"
  }
}
