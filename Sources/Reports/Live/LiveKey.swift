/// A pressed key.
enum LiveKey: Sendable, Equatable {
  /// A character other than control characters.
  case character(Unicode.Scalar)
  case enter, escape, backspace, up, down, pageUp, pageDown, home, end
  /// A press of the mouse's button on a line of the screen, from 1.
  case click(line: Int)
  /// Control and U: clears the whole entry.
  case clear
  /// Control and C, if the terminal does not make a signal of it.
  case interrupt
}

/// Converts octets of a terminal's keys to keys, even if reads split them.
///
/// An escape octet alone and one that starts a sequence look alike. It is the key when nothing follows, which an empty read
/// shows. Only a few octets are kept between reads, for any input.
struct LiveKeyParser: Sendable {
  private enum State: Sendable, Equatable {
    case ground
    case escape
    /// In a control sequence (ECMA-48); its parameter, if it is a known one.
    case sequence(parameter: Int)
    /// In a report of the mouse (xterm's SGR form): its first numbers, and how many have begun.
    case mouse(button: Int, line: Int, count: Int)
    /// After escape and O, which old terminals send for some keys.
    case shifted
    /// In a character of several octets.
    case character(octets: [UInt8], length: Int)
  }

  private var state = State.ground

  /// The keys that end in `octets`, which follow the octets of the last call.
  mutating func keys(_ octets: [UInt8]) -> [LiveKey] {
    var keys: [LiveKey] = []
    if octets.isEmpty {
      if state == .escape { keys.append(.escape) }
      state = .ground
    }
    for octet in octets { take(octet, &keys) }
    return keys
  }

  private mutating func take(_ octet: UInt8, _ keys: inout [LiveKey]) {
    switch state {
    case .ground: start(octet, &keys)
    case .escape:
      switch octet {
      case UInt8(ascii: "["): state = .sequence(parameter: 0)
      case UInt8(ascii: "O"): state = .shifted
      default:
        // Escape and then a key; with the Alt key, terminals send the same.
        keys.append(.escape)
        start(octet, &keys)
      }
    case .shifted: end(octet, parameter: 0, &keys)
    case .sequence(let parameter):
      switch octet {
      case UInt8(ascii: "<") where parameter == 0: state = .mouse(button: 0, line: 0, count: 1)
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        state = .sequence(parameter: min(parameter * 10 + Int(octet - UInt8(ascii: "0")), 1000))
      case 0x20...0x3f: break  // Modifiers and the like: the key is the same.
      default: end(octet, parameter: parameter, &keys)
      }
    case .mouse(let button, let line, let count):
      switch octet {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = Int(octet - UInt8(ascii: "0"))
        state = .mouse(
          button: count == 1 ? min(button * 10 + digit, 1000) : button,
          line: count == 3 ? min(line * 10 + digit, 10_000) : line, count: count)
      case UInt8(ascii: ";"): state = .mouse(button: button, line: line, count: min(count + 1, 4))
      case UInt8(ascii: "M"):
        state = .ground
        // 64 and 65 are the wheel.
        switch button {
        case 0: if line > 0 { keys.append(.click(line: line)) }
        case 64: keys.append(.up)
        case 65: keys.append(.down)
        default: break
        }
      case UInt8(ascii: "m"): state = .ground
      default: start(octet, &keys)
      }
    case .character(let octets, let length):
      guard octet & 0xc0 == 0x80 else { return start(octet, &keys) }
      guard octets.count + 1 == length else {
        state = .character(octets: octets + [octet], length: length)
        return
      }
      state = .ground
      // The validation refuses overlong forms and surrogates.
      guard let scalar = String(validating: octets + [octet], as: UTF8.self)?.unicodeScalars.first else { return }
      if scalar.properties.generalCategory != .control { keys.append(.character(scalar)) }
    }
  }

  private mutating func start(_ octet: UInt8, _ keys: inout [LiveKey]) {
    state = .ground
    switch octet {
    case 0x03: keys.append(.interrupt)
    case 0x08, 0x7f: keys.append(.backspace)
    case 0x0a, 0x0d: keys.append(.enter)
    case 0x15: keys.append(.clear)
    case 0x1b: state = .escape
    case 0x20..<0x7f: keys.append(.character(Unicode.Scalar(octet)))
    case 0xc2...0xdf: state = .character(octets: [octet], length: 2)
    case 0xe0...0xef: state = .character(octets: [octet], length: 3)
    case 0xf0...0xf4: state = .character(octets: [octet], length: 4)
    default: break
    }
  }

  private mutating func end(_ octet: UInt8, parameter: Int, _ keys: inout [LiveKey]) {
    // An octet that cannot end a sequence breaks it off, and keeps its own meaning.
    guard 0x40..<0x7f ~= octet else { return start(octet, &keys) }
    state = .ground
    switch octet {
    case UInt8(ascii: "A"): keys.append(.up)
    case UInt8(ascii: "B"): keys.append(.down)
    case UInt8(ascii: "H"): keys.append(.home)
    case UInt8(ascii: "F"): keys.append(.end)
    case UInt8(ascii: "M"): keys.append(.enter)
    case UInt8(ascii: "~"):
      switch parameter {
      case 1, 7: keys.append(.home)
      case 4, 8: keys.append(.end)
      case 5: keys.append(.pageUp)
      case 6: keys.append(.pageDown)
      default: break
      }
    default: break
    }
  }
}
