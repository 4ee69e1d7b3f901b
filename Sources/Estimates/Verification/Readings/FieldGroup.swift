import HTTPReassembly

/// The field lines of one name in a message, which are one entry in a dictionary of fields.
struct FieldGroup {
  /// The name in lower case; empty for malformed lines.
  var name: String
  /// Octets of the name.
  var nameLength: Int
  /// The number of lines with the name.
  var lines = 0
  /// Octets of their values.
  var valueLength = 0
  /// Octets of the lines on the wire, each with CR LF.
  var wireLength = 0
  /// Octets that each way of quoting adds, in the names and in the values, by the way's raw value.
  private var quotedInNames: [Int] = FieldGroup.none
  private var quotedInValues: [Int] = FieldGroup.none
  /// Whether the only value is `chunked`.
  var isChunked = false

  /// The groups of a message, in the order of their first lines.
  static func groups(of message: WireMessage) -> [FieldGroup] {
    var groups: [FieldGroup] = []
    var indices: [String: Int] = [:]
    for field in message.fields {
      let name = field.lowercasedName
      let index = indices[name] ?? groups.count
      if index == groups.count {
        indices[name] = index
        groups.append(FieldGroup(name, nameLength: field.name.count))
      }
      groups[index].lines += 1
      groups[index].valueLength += field.value.count
      groups[index].wireLength += field.lineLength + 2
      for quoting in HeaderForm.Quoting.allCases {
        groups[index].quotedInNames[quoting.rawValue] += quoting.octets(field.name)
        groups[index].quotedInValues[quoting.rawValue] += quoting.octets(field.value)
      }
      groups[index].isChunked =
        field.isNamed("transfer-encoding") && String(decoding: field.value, as: UTF8.self).lowercased() == "chunked"
    }
    return groups
  }

  /// The number of field lines that an app counts for the group.
  func countedLines(folds: Folding) -> Int { folds == .none ? lines : 1 }

  /// Octets of names and values that an app counts: if folded, one name and the joined values.
  func namesAndValues(folds: Folding) -> Int { namesCounted(folds) + valuesCounted(folds) }

  /// Octets of those parts that do not count in a form.
  func uncounted(_ texts: HeaderForm.Texts, folds: Folding) -> Int {
    switch texts {
    case .namesAndValues: 0
    case .values: namesCounted(folds)
    case .names: valuesCounted(folds)
    case .none: namesAndValues(folds: folds)
    }
  }

  private func namesCounted(_ folds: Folding) -> Int { nameLength * countedLines(folds: folds) }

  private func valuesCounted(_ folds: Folding) -> Int {
    folds == .none ? valueLength : valueLength + folds.separator * (lines - 1)
  }

  /// Octets that quoting adds.
  func quoted(_ quoting: HeaderForm.Quoting, folds: Folding) -> Int {
    let names = quotedInNames[quoting.rawValue]
    return quotedInValues[quoting.rawValue] + (folds == .none ? names : names / max(lines, 1))
  }

  private static let none = HeaderForm.Quoting.allCases.map { _ in 0 }

  private init(_ name: String, nameLength: Int) {
    self.name = name
    self.nameLength = nameLength
  }
}

extension HeaderForm.Quoting {
  /// Octets that writing a text adds to it.
  fileprivate func octets(_ text: [UInt8]) -> Int {
    switch self {
    case .none: return 0
    case .solidus: return PrettyJSON.escapeLength(text)
    case .quotes: return PrettyJSON.escapeLength(text) - text.count { $0 == UInt8(ascii: "/") }
    case .propertyList:
      let isPlain =
        !text.isEmpty
        && text.allSatisfy { octet in
          octet | 0x20 >= UInt8(ascii: "a") && octet | 0x20 <= UInt8(ascii: "z")
            || octet >= UInt8(ascii: "0") && octet <= UInt8(ascii: "9")
        }
      return (isPlain ? 0 : 2) + text.count { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }
  }
}
