/// Finds the fields of a message among those of its API and of the previous message, when their order differs.
///
/// The first searches are linear. Further searches first list the places of all fields. So the cost of a message grows with the number of
/// its fields, not with the square.
struct FieldSearch {
  /// Searches for this message: for fields, and for lines.
  private var searches = (fields: 0, lines: 0)
  /// The places of the fields plus one, by the numbers of their names; 0 without a place.
  private var places: [UInt16] = []
  /// The numbers that have a place.
  private var named: [UInt16] = []
  /// The places of lines plus one, by their marks; 0 without a place.
  private var lines: [UInt16] = []

  /// The number of linear searches for a message.
  private static var fewSearches: Int { 8 }
  /// Four times the most lines of a message: a power of two.
  private static var bucketCount: Int { 4 * FieldNotes.messageLimit }

  /// Starts the searches for a new message.
  @inline(__always)
  mutating func start() {
    searches = (0, 0)
  }

  // MARK: Fields

  /// The place of a name among an API's `count` names; nil if it is not among them.
  mutating func place(of name: UInt16, _ count: Int, _ nameAt: (Int) -> UInt16) -> Int? {
    searches.fields += 1
    guard searches.fields > Self.fewSearches else { return (0..<count).first { nameAt($0) == name } }
    if searches.fields == Self.fewSearches + 1 {
      if places.isEmpty { places = Array(repeating: 0, count: Self.slot(of: .max) + 1) }
      for name in named { places[Self.slot(of: name)] = 0 }
      named.removeAll(keepingCapacity: true)
      for place in 0..<count { list(nameAt(place), at: place) }
    }
    let place = Int(places[Self.slot(of: name)])
    return place == 0 ? nil : place - 1
  }

  /// Notes that a name has been added to the API's.
  mutating func added(_ name: UInt16, at place: Int) {
    if searches.fields > Self.fewSearches { list(name, at: place) }
  }

  private mutating func list(_ name: UInt16, at place: Int) {
    places[Self.slot(of: name)] = UInt16(place + 1)
    named.append(name)
  }

  /// The slot of a name's number. The last three numbers are for octets that belong to no field; they follow the names.
  private static func slot(of name: UInt16) -> Int {
    Int(name) < FieldNames.limit ? Int(name) : FieldNames.limit + Int(name) - Int(UInt16.max - 2)
  }

  // MARK: Lines

  /// Whether a section has a line's field with the same value. The section is the same for all lines of a message.
  mutating func has(_ line: FieldNotes.Line, in section: [FieldNotes.Line]) -> Bool {
    searches.lines += 1
    guard searches.lines > Self.fewSearches else {
      return section.contains { $0.name == line.name && $0.value == line.value }
    }
    if searches.lines == Self.fewSearches + 1 { list(section) }
    return lines[bucket(of: line, in: section)] != 0
  }

  private mutating func list(_ section: [FieldNotes.Line]) {
    lines.removeAll(keepingCapacity: true)
    lines.append(contentsOf: repeatElement(0, count: Self.bucketCount))
    for (place, line) in section.enumerated() { lines[bucket(of: line, in: section)] = UInt16(place + 1) }
  }

  /// The bucket of an equal line, or an empty bucket.
  private func bucket(of line: FieldNotes.Line, in section: [FieldNotes.Line]) -> Int {
    var bucket = Int(truncatingIfNeeded: OctetMark.mix(line.value, UInt64(line.name))) & (Self.bucketCount - 1)
    while lines[bucket] != 0 {
      let other = section[Int(lines[bucket]) - 1]
      if other.name == line.name, other.value == line.value { break }
      bucket = (bucket + 1) & (Self.bucketCount - 1)
    }
    return bucket
  }
}
