/// Fields as in `allHTTPHeaderFields` and `allHeaderFields`: a dictionary with names that differ by more than case. The values of
/// a repeated name are joined by ", " (Set-Cookie too).
///
/// Values are taken as the octets that were sent. CFNetwork makes text of them, which is the same for UTF-8.
public struct FieldDictionary: Sendable, Equatable {
  /// The fields, each at the place of the first of its name, with the name as first sent.
  public private(set) var fields: [WireField] = []
  private var indices: [String: Int] = [:]

  /// A dictionary of field lines; malformed lines are left out.
  public init(_ fields: some Sequence<WireField>) {
    for field in fields { add(field) }
  }

  /// Adds a field line.
  public mutating func add(_ field: WireField) {
    guard !field.name.isEmpty else { return }
    let name = field.lowercasedName
    if let index = indices[name] {
      self.fields[index].value += [UInt8(ascii: ","), UInt8(ascii: " ")] + field.value
    } else {
      indices[name] = self.fields.count
      self.fields.append(WireField(name: field.name, value: field.value))
    }
  }

  /// This dictionary with one more field, as `addEntriesFromDictionary:` adds cookies.
  public func adding(_ field: WireField?) -> FieldDictionary {
    guard let field else { return self }
    var result = self
    result.add(field)
    return result
  }

  /// *n*: the number of fields.
  public var count: Int { fields.count }

  /// *S*: octets of names and values together.
  public var textLength: Int { fields.reduce(0) { $0 + $1.name.count + $1.value.count } }

  /// The value of the field with this name, given in lower case.
  public func value(of name: String) -> [UInt8]? { indices[name].map { fields[$0].value } }
}
