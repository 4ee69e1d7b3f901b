// Unsafe: libpsl takes and returns C strings. The argument lives during the call. The result points into it, and only its length
// is read, before that memory is freed.

import CPSL
import Foundation

/// The registered part of a host's name: a public suffix and one more label, by the Public Suffix List, which is built into
/// libpsl.
enum RegistrableDomain {
  /// The registrable domain of a host without its port. A host without one stands for itself: addresses, public suffixes, names
  /// without a dot.
  static func of(host: [UInt8]) -> [UInt8] {
    let name = withoutPort(host)
    guard !isAddress(name), !name.contains(0), name.contains(UInt8(ascii: ".")) else { return name }
    return unsafe (name + [0]).withUnsafeBufferPointer { octets in
      guard let base = octets.baseAddress, let list = unsafe psl_builtin() else { return name }
      return unsafe base.withMemoryRebound(to: CChar.self, capacity: octets.count) { text in
        guard let domain = unsafe psl_registrable_domain(list, text) else { return name }
        return unsafe Array(name.suffix(strlen(domain)))
      }
    }
  }

  private static func withoutPort(_ host: [UInt8]) -> [UInt8] {
    if host.first == UInt8(ascii: "[") {
      return host.firstIndex(of: UInt8(ascii: "]")).map { Array(host[...$0]) } ?? host
    }
    guard let colon = host.firstIndex(of: UInt8(ascii: ":")), host[(colon + 1)...].allSatisfy({ 0x30...0x39 ~= $0 })
    else { return host }
    return Array(host[..<colon])
  }

  /// Whether a name is an address: IPv6 has colons, and no top-level domain is a number.
  private static func isAddress(_ name: [UInt8]) -> Bool {
    if name.contains(UInt8(ascii: ":")) { return true }
    let last = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: true).last ?? []
    return !last.isEmpty && last.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
