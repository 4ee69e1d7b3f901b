/// The rooms of a target, and which room names what another one declares.
///
/// A room is a folder directly in the target's folder, with all that is in it. Files that lie beside the folders are the room
/// ".", which ties the others together and is part of no circle. A type belongs to the room that declares it at the top
/// level of a file, and so do functions; extensions declare nothing.
struct House {
  /// A source file: its path from the target's folder, and its text.
  typealias File = (path: String, text: String)

  /// That a room names something of another one.
  struct Use: Hashable {
    let from: String
    let to: String
    /// The name, and the file that has it.
    let name: String
    let file: String
  }

  /// All uses between rooms that are not ".".
  let uses: Set<Use>

  /// The house of some files.
  init(_ files: [File]) {
    let rooms = files.map { file in
      let parts = file.path.split(separator: "/")
      return (path: file.path, room: parts.count > 1 ? String(parts[0]) : ".", words: SwiftWords(file.text).words)
    }
    var owners: [String: Set<String>] = [:]
    /// Names that mean something else inside a room, or inside a file.
    var own: [String: Set<String>] = [:]
    for file in rooms {
      for declared in Self.declarations(file.words) {
        switch declared.reach {
        case .target: owners[declared.name, default: []].insert(file.room)
        case .type: own[file.room, default: []].insert(declared.name)
        case .file: own[file.path, default: []].insert(declared.name)
        }
      }
    }
    var uses: Set<Use> = []
    for file in rooms where file.room != "." {
      let own = (own[file.path] ?? []).union(own[file.room] ?? [])
      for name in Self.names(file.words).subtracting(own) {
        // Of a name that several rooms declare it does not show which is meant.
        guard let owner = owners[name], owner.count == 1, let to = owner.first, to != ".", to != file.room else {
          continue
        }
        uses.insert(Use(from: file.room, to: to, name: name, file: file.path))
      }
    }
    self.uses = uses
  }

  /// Rooms that name each other in a circle, each circle in alphabetical order.
  var circles: [[String]] {
    let rooms = Set(uses.flatMap { [$0.from, $0.to] })
    let next = Dictionary(grouping: uses, by: \.from).mapValues { Set($0.map(\.to)) }
    func reached(from room: String) -> Set<String> {
      var reached: Set<String> = []
      var waiting = Array(next[room] ?? [])
      while let room = waiting.popLast() {
        if reached.insert(room).inserted { waiting += next[room] ?? [] }
      }
      return reached
    }
    let reach = Dictionary(uniqueKeysWithValues: rooms.map { ($0, reached(from: $0)) })
    let circles = rooms.filter { reach[$0]?.contains($0) ?? false }.map { room in
      (reach[room] ?? []).filter { reach[$0]?.contains(room) ?? false }.sorted()
    }
    return Set(circles).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// What a failing test says: each circle with the names that make it, and where they stand.
  var explanation: String {
    circles.map { circle in
      let inside = uses.filter { circle.contains($0.from) && circle.contains($0.to) }
      let lines = inside.map { "  \($0.from) names \($0.to)'s \($0.name) in \($0.file)" }
      return "\(circle.joined(separator: ", ")) form a circle:\n" + lines.sorted().joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias", "func"]

  /// Where a declared name can be used without another name before it.
  private enum Reach { case target, type, file }

  private static func declarations(_ words: [String]) -> [(name: String, reach: Reach)] {
    var found: [(name: String, reach: Reach)] = []
    var depth = 0
    var isPrivate = false
    for (index, word) in words.enumerated() {
      switch word {
      case "{", "(": depth += 1
      case "}", ")":
        depth -= 1
        isPrivate = false
      case "private", "fileprivate": isPrivate = true
      case "extension", "var", "let", "import": isPrivate = false
      case _ where kinds.contains(word) && index + 1 < words.count:
        if depth == 0 {
          found.append((words[index + 1], isPrivate ? .file : .target))
        } else if word != "func", words[index - 1] != "." {
          found.append((words[index + 1], .type))
        }
        isPrivate = false
      default: break
      }
    }
    return found
  }

  /// What is named, but for members, and for lower-case words that are not called.
  private static func names(_ words: [String]) -> Set<String> {
    var names: Set<String> = []
    for (index, word) in words.enumerated() where word.first.map({ $0.isLetter || $0 == "_" }) ?? false {
      let before = index > 0 ? words[index - 1] : ""
      let after = index + 1 < words.count ? words[index + 1] : ""
      guard before != ".", before != "func" else { continue }
      if word.first?.isUppercase ?? false || after == "(" { names.insert(word) }
    }
    return names
  }
}
