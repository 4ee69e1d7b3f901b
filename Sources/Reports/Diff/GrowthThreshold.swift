/// From when on growth is too much.
package struct GrowthThreshold: Sendable {
  /// Growth has to be more than this share of what there was; nil: any growth.
  package var share: Proportion?
  /// Growth has to be more than so many octets, too; at most 2⁴⁰.
  package var octets: Int
  /// Whether the figure is `ip_bytes` by request, and not those of the whole API.
  package var isPerRequest: Bool
  /// The most octets of a floor: with them no product below overflows.
  package static let octetLimit = 1 << 40

  /// A threshold.
  package init(share: Proportion?, octets: Int = 0, isPerRequest: Bool = false) {
    self.share = share
    self.octets = min(octets, Self.octetLimit)
    self.isPerRequest = isPerRequest
  }

  /// Whether growth is beyond the threshold; exactly at it is not beyond it. An API that had no octets grows beyond any
  /// share; without requests on both sides nothing is known by request.
  func isExceeded(from base: APICounts, to new: APICounts) -> Bool {
    let baseRequests = Int128(isPerRequest ? base[.requests] : 1)
    let newRequests = Int128(isPerRequest ? new[.requests] : 1)
    guard baseRequests > 0, newRequests > 0 else { return false }
    // Both sides multiplied by both numbers of requests: whole numbers, and nothing is rounded.
    let old = Int128(base[.ip]) * newRequests
    let growth = Int128(new[.ip]) * baseRequests - old
    guard growth > Int128(octets) * baseRequests * newRequests else { return false }
    guard let share else { return true }
    return growth * 1_000_000 > old * Int128(share.millionths)
  }

  /// The threshold and what it is on, in words.
  package var text: String {
    var parts: [String] = []
    if let share { parts.append(share.text) }
    if octets > 0 || share == nil { parts.append("\(Numerals.grouped(octets)) bytes") }
    return parts.joined(separator: " and ") + (isPerRequest ? " (IP bytes by request)" : " (IP bytes of an API)")
  }
}
