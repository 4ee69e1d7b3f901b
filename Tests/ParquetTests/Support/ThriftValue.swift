/// What a struct of Thrift's compact protocol says, read by rules written here and not by the code under test.
indirect enum ThriftValue: Equatable {
  case flag(Bool)
  case integer(Int64)
  case binary([UInt8])
  case list([ThriftValue])
  case structure([Int: ThriftValue])

  var integer: Int { if case .integer(let value) = self { Int(value) } else { -1 } }
  var octets: [UInt8] { if case .binary(let value) = self { value } else { [] } }
  var text: String { String(decoding: octets, as: UTF8.self) }
  var list: [ThriftValue] { if case .list(let values) = self { values } else { [] } }
  var flag: Bool? { if case .flag(let value) = self { value } else { nil } }

  /// A field of a struct.
  subscript(field: Int) -> ThriftValue? {
    guard case .structure(let fields) = self else { return nil }
    return fields[field]
  }

  /// Reads a struct from a position on, and moves the position behind it.
  static func read(_ octets: [UInt8], at position: inout Int) -> ThriftValue {
    var fields: [Int: ThriftValue] = [:]
    var last = 0
    while true {
      let head = octets[position]
      position += 1
      if head == 0 { return .structure(fields) }
      last = head >> 4 == 0 ? Int(signed(octets, at: &position)) : last + Int(head >> 4)
      fields[last] = value(head & 0xf, octets, at: &position)
    }
  }

  private static func value(_ kind: UInt8, _ octets: [UInt8], at position: inout Int) -> ThriftValue {
    switch kind {
    case 1: return .flag(true)
    case 2: return .flag(false)
    case 3:
      position += 1
      return .integer(Int64(Int8(bitPattern: octets[position - 1])))
    case 4, 5, 6: return .integer(signed(octets, at: &position))
    case 8:
      let length = Int(unsigned(octets, at: &position))
      position += length
      return .binary(Array(octets[position - length..<position]))
    case 9:
      let head = octets[position]
      position += 1
      let count = head >> 4 == 15 ? Int(unsigned(octets, at: &position)) : Int(head >> 4)
      return .list((0..<count).map { _ in value(head & 0xf, octets, at: &position) })
    case 12: return read(octets, at: &position)
    default: preconditionFailure("no such type: \(kind)")
    }
  }

  static func unsigned(_ octets: [UInt8], at position: inout Int) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let octet = octets[position]
      position += 1
      value |= UInt64(octet & 0x7f) << shift
      if octet < 0x80 { return value }
      shift += 7
    }
  }

  static func signed(_ octets: [UInt8], at position: inout Int) -> Int64 {
    let value = unsigned(octets, at: &position)
    return value & 1 == 0 ? Int64(value >> 1) : -1 - Int64(value >> 1)
  }
}
