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
  /// Characters that JSON escapes with a backslash, in the names and in the values.
  var escapedInNames = 0
  var escapedInValues = 0
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
        groups.append(FieldGroup(name: name, nameLength: field.name.count))
      }
      groups[index].lines += 1
      groups[index].valueLength += field.value.count
      groups[index].wireLength += field.lineLength + 2
      groups[index].escapedInNames += PrettyJSON.escapeLength(field.name)
      groups[index].escapedInValues += PrettyJSON.escapeLength(field.value)
      groups[index].isChunked =
        field.isNamed("transfer-encoding") && String(decoding: field.value, as: UTF8.self).lowercased() == "chunked"
    }
    return groups
  }

  /// The number of field lines that an app counts for the group.
  func countedLines(folds: Folding) -> Int { folds == .none ? lines : 1 }

  /// Octets of names and values that an app counts: if folded, one name and the joined values.
  func namesAndValues(folds: Folding) -> Int {
    folds == .none
      ? nameLength * lines + valueLength : nameLength + valueLength + folds.separator * (lines - 1)
  }

  /// Characters escaped in JSON.
  func escaped(folds: Folding) -> Int {
    escapedInValues + (folds == .none ? escapedInNames : escapedInNames / max(lines, 1))
  }
}
