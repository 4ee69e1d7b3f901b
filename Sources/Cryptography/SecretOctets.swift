// Unsafe: the class owns the memory, so that it can clear it before it is given back. It is lent only as spans.

import CCrypto

/// Secret octets in memory of their own, which is cleared before it is given back.
@safe
package final class SecretOctets {
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of octets.
  package var count: Int { unsafe memory.count }

  /// Creates octets of value 0.
  package init(count: Int) {
    unsafe memory = .allocate(byteCount: max(count, 0), alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Creates a copy of octets.
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

  /// Lends the octets for writing.
  @unsafe
  func withMemory<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(memory) }
}
