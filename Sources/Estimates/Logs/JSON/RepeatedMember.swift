/// A member that an object has twice, with different values. Of these a decoder takes one, and nobody knows which is meant.
struct RepeatedMember {
  /// An open object or array.
  private struct Level {
    var isObject: Bool
    /// The values of the members so far.
    var members: [ArraySlice<UInt8>: ArraySlice<UInt8>] = [:]
    /// The name of the current member, and the place of its value; nil in front of them.
    var name: ArraySlice<UInt8>?
    var value: Int?
  }

  /// The name of such a member of a JSON text, as it is written. Objects inside of arrays are left out.
  static func name(in octets: [UInt8]) -> String? {
    var open: [Level] = []
    var arrays = 0
    var index = 0
    while index < octets.count {
      switch octets[index] {
      case UInt8(ascii: "\""):
        let start = index + 1
        index = endOfText(octets, start)
        if arrays == 0, open.last?.name == nil { open.mutateLast { $0.name = octets[start..<index] } }
      case UInt8(ascii: ":"): open.mutateLast { $0.value = $0.value ?? index + 1 }
      case UInt8(ascii: "{"): open.append(Level(isObject: true))
      case UInt8(ascii: "["):
        open.append(Level(isObject: false))
        arrays += 1
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
        if arrays == 0, let level = open.last, let name = level.name, let value = level.value {
          let own = trimmed(octets[value..<index])
          if let known = level.members[name], known != own { return String(decoding: name, as: UTF8.self) }
          open.mutateLast { ($0.members[name], $0.name, $0.value) = (own, nil, nil) }
        }
        guard octets[index] != UInt8(ascii: ","), let last = open.popLast() else { break }
        if !last.isObject { arrays -= 1 }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The place of the quotation mark at the end of a text.
  private static func endOfText(_ octets: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < octets.count, octets[index] != UInt8(ascii: "\"") {
      index += octets[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, octets.count)
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ octet: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(octet) }
    let start = value.drop(while: isSpace)
    return start[..<(start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex)]
  }
}

extension Array {
  /// Changes the last element, if there is one.
  fileprivate mutating func mutateLast(_ change: (inout Element) -> Void) {
    if !isEmpty { change(&self[count - 1]) }
  }
}
