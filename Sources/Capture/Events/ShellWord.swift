/// Names of files in the commands that errors suggest.
enum ShellWord {
  /// A file's name as a word of a shell's command; `FILE` for standard input.
  static func of(_ file: String) -> String {
    if file == CaptureError.standardInput { return "FILE" }
    // A leading dash would make it an option.
    if file.hasPrefix("-") { return of("./" + file) }
    return file.utf8.allSatisfy(isPlain) ? file : "'" + file.replacing("'", with: "'\\''") + "'"
  }

  /// Whether an octet means itself: letters, digits, `+,-./:` and `_`, and octets beyond ASCII.
  private static func isPlain(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x2b...0x3a, 0x41...0x5a, 0x5f, 0x61...0x7a, 0x80...: true
    default: false
    }
  }
}
