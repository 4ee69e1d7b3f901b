import ArgumentParser

/// A comma-separated list of field names, in any case; `none` is the empty list.
struct FieldNameList: ExpressibleByArgument {
  /// The names in lower case.
  var names: Set<String>

  init(names: Set<String>) { self.names = names }

  init?(argument: String) {
    if argument == "none" {
      names = []
      return
    }
    let list = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
    guard list.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenCharacter) }) else { return nil }
    names = Set(list.map(String.init))
  }

  var defaultValueDescription: String { names.isEmpty ? "none" : names.sorted().joined(separator: ",") }

  /// Whether a field name may have this octet (RFC 9110 §5.6.2).
  private static func isTokenCharacter(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(octet)
    }
  }
}
