// Unsafe: the memory is its own, so that it can be cleared when it is given back; it is lent as spans only.

import CCrypto

/// Octets that are secret, in memory of their own that is cleared before it is given back.
@safe
package final class SecretOctets {
  private let memory: UnsafeMutableRawBufferPointer
  /// How many there are.
  package var count: Int { unsafe memory.count }

  /// Octets that are all 0.
  package init(count: Int) {
    unsafe memory = .allocate(byteCount: max(count, 0), alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// A copy.
  package convenience init(_ octets: RawSpan) {
    self.init(count: octets.byteCount)
    unsafe octets.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
  }

  deinit {
    unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
    unsafe memory.deallocate()
  }

  /// Lends the octets.
  package func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory)))
  }

  /// Lends some of the octets.
  package func withOctets<Result>(in range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
    withOctets { body($0.extracting(range)) }
  }

  /// Lends the octets to who writes them.
  @unsafe
  func withMemory<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(memory) }
}
