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
  /// Octets that each way of quoting adds, in the names and in the values.
  private var quotedInNames = QuotedOctets()
  private var quotedInValues = QuotedOctets()
  /// Whether the only value is `chunked`.
  var isChunked = false

  /// The groups of a message, in the order of their first lines.
  static func groups(of message: WireMessage) -> [FieldGroup] {
    var groups: [FieldGroup] = []
    groups.reserveCapacity(message.fields.count)
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
      groups[index].quotedInNames.add(field.name)
      groups[index].quotedInValues.add(field.value)
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
    let names = quotedInNames.octets(quoting)
    return quotedInValues.octets(quoting) + (folds == .none ? names : names / max(lines, 1))
  }

  private init(_ name: String, nameLength: Int) {
    self.name = name
    self.nameLength = nameLength
  }
}

/// Octets that each way of quoting adds to some texts.
private struct QuotedOctets {
  /// Escapes of JSON, without those of the solidus.
  private var escapes = 0
  /// Solidi.
  private var solidi = 0
  /// Quotes and backslashes, and two for each text that is not plain.
  private var propertyList = 0

  /// Adds those of one text, in one pass.
  mutating func add(_ text: [UInt8]) {
    var isPlain = !text.isEmpty
    for octet in text {
      // Most octets are letters and digits, which no way of quoting changes.
      if (octet | 0x20) &- UInt8(ascii: "a") < 26 || octet &- UInt8(ascii: "0") < 10 { continue }
      isPlain = false
      switch octet {
      case UInt8(ascii: "/"): solidi += 1
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        escapes += 1
        propertyList += 1
      default: escapes += PrettyJSON.escapeLength(octet)
      }
    }
    if !isPlain { propertyList += 2 }
  }

  /// Octets that a way of quoting adds.
  func octets(_ quoting: HeaderForm.Quoting) -> Int {
    switch quoting {
    case .none: 0
    case .quotes: escapes
    case .solidus: escapes + solidi
    case .propertyList: propertyList
    }
  }
}
