// Secrets of TLS, and the connections that wait for them.

import Packets

extension Pipeline {
  /// Learns secrets from octets of a TLS key log (RFC 9850), which may come in any pieces. They open records that come from now on.
  ///
  /// Earlier records that waited for the secrets are opened at once. `log` is the log's number from 0 for `Totals.secrets`; nil for secrets
  /// in captures.
  public mutating func learn(secrets octets: RawSpan, ofLog log: Int? = nil) {
    let known = run.secrets.count
    run.secrets.read(octets, source: log.map(SecretMark.source(ofLog:)) ?? SecretMark.captures)
    offerSecrets(run.secrets.count - known)
    shareMemory()
  }

  /// Whether secrets may come after the records that they open. Records then wait for a while (`Configuration.secretPatience`). It applies
  /// to packets processed after it is set.
  public var mayLearnSecrets: Bool {
    get { run.secrets.mayGrow }
    set { run.secrets.mayGrow = newValue }
  }

  /// Whether `takeUsedSecrets` is called about after each packet. It applies to packets processed after it is set.
  public var collectsUsedSecrets: Bool {
    get { run.secrets.used.isWanted }
    set { run.secrets.used.isWanted = newValue }
  }

  /// Lends the secrets that opened records since the last call, as whole lines of a key log (RFC 9850), if there are any.
  public mutating func takeUsedSecrets(_ body: (RawSpan) -> Void) { run.secrets.used.take(body) }

  /// Whether connections wait for secrets.
  public var waitsForSecrets: Bool { !secretWaiters.isEmpty || quic.isWaiting }

  /// Notes that a connection has begun to wait for secrets.
  @inline(never)
  mutating func noteWaiter(_ slot: Int) {
    run.secrets.hasNewWaiter = false
    if secretWaiters.count > 2 * connections.count + 64 { forgetWaiters() }
    secretWaiters.append(Int32(truncatingIfNeeded: slot))
  }

  /// Keeps only connections that still wait, each once.
  private mutating func forgetWaiters() {
    var known: Set<Int32> = []
    secretWaiters.removeAll { slot in
      !connections.contains(Int(slot)) || !known.insert(slot).inserted
        || !connections.look(Int(slot)) { $0.session?.waitsForSecrets ?? false }
    }
  }

  /// Offers new secrets to the waiting connections, in the order in which they began to wait.
  ///
  /// Where few secrets come at a time to very many connections, most offers are left out. A connection that got none looks by itself at its
  /// next record, or when it gives up waiting.
  private mutating func offerSecrets(_ new: Int) {
    guard new > 0, waitsForSecrets,
      offers.take(secretWaiters.count + quic.waitingCount, after: run.ledger.packets, new)
    else { return }
    if quic.isWaiting { quic.offerSecrets(&run) }
    guard !secretWaiters.isEmpty else { return }
    forgetWaiters()
    for slot in secretWaiters {
      let look = connections.change(Int(slot)) { $0.lookForSecrets(&run) }
      watch(Int(slot), look)
    }
    run.secrets.hasNewWaiter = false
    forgetWaiters()
  }

  /// Ends a key log; further octets belong to another one.
  public mutating func endOfSecrets() {
    let known = run.secrets.count
    run.secrets.finishLine()
    offerSecrets(run.secrets.count - known)
    for _ in 0..<run.secrets.takeRefused() { run.anomalies.note(.tlsKeysFull) }
  }

  /// The secrets and what they opened so far.
  var secretTotals: SecretTotals {
    let sources = run.secrets.sources
    var totals = SecretTotals(
      captures: sources[SecretMark.captures], logs: Array(sources[SecretMark.source(ofLog: 0)...]),
      openings: secureHosts.openings)
    totals.cameLate = hasLateSecrets && totals.openings.opened < totals.openings.connections
    return totals
  }

  /// Notes that secrets of a capture come now, which is too late for earlier packets.
  public mutating func noteSecretsOfCapture() { if !run.secrets.mayGrow, span != nil { hasLateSecrets = true } }

  /// The number of secrets that are known.
  public var secretCount: Int { run.secrets.count }
}

/// The looks of waiting connections for new secrets that are paid for: each packet and each secret pays for one.
struct SecretOffers {
  private var allowance = Allowance(Self.most)
  /// The number of packets that have paid.
  private var packets = 0

  /// The looks that need no pay.
  static let most = 1 << 16

  /// Takes as many looks as there are waiting connections, after so many packets in all and `new` secrets since the last call. Returns
  /// false if they are too many.
  mutating func take(_ count: Int, after packets: Int, _ new: Int) -> Bool {
    allowance.earn(max(packets - self.packets, 0) + new, most: Self.most)
    self.packets = packets
    return allowance.take(count)
  }
}
