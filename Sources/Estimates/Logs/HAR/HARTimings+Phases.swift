import HTTPReassembly

extension HARTimings {
  /// The phases, with `ssl` apart from `connect`. `total` is the entry's `time` in milliseconds, if present.
  func phases(total: Double?) -> ExchangeTimings {
    var phases = ExchangeTimings()
    phases.dns = Self.nanoseconds(dns)
    phases.tls = Self.nanoseconds(ssl)
    phases.connect = Self.nanoseconds(connectsWithTLS(total) ? connect.map { $0 - (ssl ?? 0) } : connect)
    phases.send = Self.nanoseconds(send)
    phases.wait = Self.nanoseconds(wait)
    phases.receive = Self.nanoseconds(receive)
    return phases
  }

  /// Milliseconds from `startedDateTime` until the connection is established.
  func untilConnected(total: Double?) -> Double {
    let handshake = connect == nil || connectsWithTLS(total) ? 0 : ssl ?? 0
    return (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + handshake
  }

  /// Whether `connect` includes `ssl`, as HAR 1.2 says. mitmproxy's does not, and its `time`, the sum of all phases, tells so.
  private func connectsWithTLS(_ total: Double?) -> Bool {
    guard let connect, let ssl, connect >= ssl else { return false }
    guard let total else { return true }
    let sum = [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + ($1 ?? 0) }
    return abs(total - sum) <= abs(total - (sum + ssl))
  }

  /// Converts milliseconds to nanoseconds.
  static func nanoseconds(_ milliseconds: Double) -> Int64 { Int64((milliseconds * 1e6).rounded()) }

  private static func nanoseconds(_ milliseconds: Double?) -> Int64? { milliseconds.map(nanoseconds) }
}
