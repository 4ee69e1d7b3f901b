/// Finds the readings that give an app's figure for one message's header section.
///
/// The fields that an app did not see are a subset sum. For each form the search finds the cheapest set of fields whose octets
/// make up the difference. `costLimit` and `sumLimit` bound it, so that a hostile header section costs no more than any.
struct HeaderReadingSearch {
  /// The largest cost of a set of fields; dearer sets are too improbable.
  static let costLimit = 20
  /// The largest number of sums that are followed for one form.
  static let sumLimit = 20_000
  /// The largest number of fields that a set can distinguish.
  static let groupLimit = 64

  private let message: WireMessage
  private let groups: [FieldGroup]
  private var tables: [(reading: HeaderReading, full: Int, sums: [Int: Set])] = []

  /// The most sums that were followed for one form.
  var sumCount: Int { tables.map(\.sums.count).max() ?? 0 }

  private struct Set {
    var members: UInt64
    var cost: Int
  }

  init(_ message: WireMessage) {
    self.message = message
    groups = FieldGroup.groups(of: message)
    guard groups.count <= Self.groupLimit else { return }
    let hasRepeated = groups.contains { $0.lines > 1 }
    let hasChunked = groups.contains { $0.isChunked }
    for form in HeaderForm.texts {
      for folds in hasRepeated ? Folding.allCases : [.none] {
        for namesIdentity in hasChunked ? [false, true] : [false] {
          var reading = HeaderReading(form: form, folds: folds, namesIdentity: namesIdentity)
          let sums = sums(reading, form)
          for variant in variants {
            (reading.line, reading.unsent, reading.countsPseudoFields) = variant
            guard let full = reading.figure(of: message) else { continue }
            tables.append((reading, full, sums))
          }
        }
      }
    }
    guard message.isEncoded else { return }
    for form in HeaderForm.all where form.isEncoded {
      for line in [nil, LineReading.encoded] {
        let reading = HeaderReading(form: form, line: line)
        if let full = reading.figure(of: message) { tables.append((reading, full, [0: Set(members: 0, cost: 0)])) }
      }
    }
  }

  /// The combinations of things besides the fields that a header section may count.
  private var variants: [(line: LineReading?, unsent: [UnsentField], countsPseudoFields: Bool)] {
    // A tool that counts the start-line with the header section takes the sent one, or makes it from the path.
    let versions: [LineReading.Version] = message.isEncoded ? [.full, .short] : [.full]
    let spelled: [LineReading] = versions.flatMap { version -> [LineReading] in
      message.row.kind == .request
        ? [.request(.asSent, .crlf, version), .request(.path, .crlf, version)] : [.status(.asSent, .crlf, version)]
    }
    let lines = [nil] + spelled.map { Optional($0) }
    let unsent = UnsentField.allCases.filter { $0.applies(to: message) }
    let added = unsent.reduce(into: [[UnsentField]]([[]])) { sets, field in sets += sets.map { $0 + [field] } }
    let plain = added.flatMap { unsent in lines.map { ($0, unsent, false) } }
    return message.isEncoded ? plain + lines.prefix(3).map { ($0, [], true) } : plain
  }

  /// The readings whose figure is `figure`: for each form the cheapest one.
  func readings(giving figure: Int) -> [HeaderReading] {
    var found: [HeaderReading] = figure == 0 ? [.nothing] : []
    for table in tables {
      var reading = table.reading
      let base = reading.form?.base ?? 0
      let isAlone = reading.unsent.isEmpty && !reading.countsPseudoFields
      let none = isAlone ? reading.form?.octets(fields: 0) ?? base : base
      // Without any field, the form may have other octets beside them.
      for others in none == base ? [0] : [0, none - base] {
        guard let set = table.sums[table.full - figure + others],
          none == base || (set.members == everyGroup) == (others != 0)
        else { continue }
        reading.unseen = groups.indices.filter { set.members & 1 << UInt64($0) != 0 }.map { groups[$0].name }.sorted()
        found.append(reading)
      }
    }
    return found
  }

  /// The set of all fields.
  private var everyGroup: UInt64 { groups.indices.reduce(0) { $0 | 1 << UInt64($1) } }

  /// For each sum of octets, the cheapest set of fields that an app may not have counted.
  private func sums(_ reading: HeaderReading, _ form: HeaderForm) -> [Int: Set] {
    var sums = [0: Set(members: 0, cost: 0)]
    // The likeliest fields come first, so that they are included when the limit is reached.
    let order = groups.indices.sorted {
      (HeaderReading.cost(unseen: groups[$0].name), $0) < (HeaderReading.cost(unseen: groups[$1].name), $1)
    }
    for index in order {
      let cost = HeaderReading.cost(unseen: groups[index].name)
      let octets = octets(groups[index], reading, form)
      guard sums.count * 2 <= Self.sumLimit else { break }
      for (sum, set) in sums where set.cost + cost <= Self.costLimit {
        let candidate = Set(members: set.members | 1 << UInt64(index), cost: set.cost + cost)
        if let known = sums[sum + octets], (known.cost, known.members) <= (candidate.cost, candidate.members) {
          continue
        }
        sums[sum + octets] = candidate
      }
    }
    return sums
  }

  /// Octets that the figure loses when the app does not see the fields of `group`.
  private func octets(_ group: FieldGroup, _ reading: HeaderReading, _ form: HeaderForm) -> Int {
    group.namesAndValues(folds: reading.folds) + form.perField * group.countedLines(folds: reading.folds)
      + group.quoted(form.quoting, folds: reading.folds) + (reading.namesIdentity && group.isChunked ? 1 : 0)
  }
}
