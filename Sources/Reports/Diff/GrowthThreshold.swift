/// The threshold beyond which the growth of an API is too much.
package struct GrowthThreshold: Sendable {
  /// Growth has to exceed this share of the old value; nil for any growth.
  package var share: Proportion?
  /// Growth also has to exceed this number of octets; at most 2⁴⁰.
  package var octets: Int
  /// Whether the figure is `ip_bytes` per request, and not of the whole API.
  package var isPerRequest: Bool
  /// The largest value of `octets`: up to it no product below overflows.
  package static let octetLimit = 1 << 40

  /// A threshold.
  package init(share: Proportion?, octets: Int = 0, isPerRequest: Bool = false) {
    self.share = share
    self.octets = min(octets, Self.octetLimit)
    self.isPerRequest = isPerRequest
  }

  /// Whether growth is beyond the threshold; growth exactly at it is not. An API that had no octets grows beyond any share.
  /// Without requests on both sides the growth per request is unknown.
  func isExceeded(from base: APICounts, to new: APICounts) -> Bool {
    let baseRequests = Int128(isPerRequest ? base[.requests] : 1)
    let newRequests = Int128(isPerRequest ? new[.requests] : 1)
    guard baseRequests > 0, newRequests > 0 else { return false }
    // Both sides are multiplied by both numbers of requests, so that they are whole numbers without rounding.
    let old = Int128(base[.ip]) * newRequests
    let growth = Int128(new[.ip]) * baseRequests - old
    guard growth > Int128(octets) * baseRequests * newRequests else { return false }
    return share?.isExceeded(by: growth, of: old) ?? true
  }

  /// The threshold and its figure, in words.
  package var text: String {
    var parts: [String] = []
    if let share { parts.append(share.text) }
    if octets > 0 || share == nil { parts.append("\(Numerals.grouped(octets)) bytes") }
    return parts.joined(separator: " and ") + (isPerRequest ? " (IP bytes by request)" : " (IP bytes of an API)")
  }
}
