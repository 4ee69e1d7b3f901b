extension [Cause] {
  /// One cause for each kind and detail, in the order of their first occurrence, without those that explain nothing.
  ///
  /// A start-line that one figure lacks and another figure includes is no difference of the whole message.
  var netted: [Cause] {
    var result: [Cause] = []
    for cause in self {
      if let index = result.firstIndex(where: { $0.kind == cause.kind && $0.detail == cause.detail }) {
        result[index].octets += cause.octets
      } else {
        result.append(cause)
      }
    }
    if let left = result.firstIndex(where: { $0.kind == .lineNotCounted }),
      let counted = result.firstIndex(where: { $0.kind == .lineInHeader })
    {
      let moved = Swift.min(-result[left].octets, result[counted].octets)
      result[left].octets += moved
      result[counted].octets -= moved
    }
    // A header section that counts in the body is not left out.
    if let body = result.firstIndex(where: { $0.kind == .headersInBody }) {
      for kind in [Cause.Kind.lineNotCounted, .headerNotCounted] {
        guard let left = result.firstIndex(where: { $0.kind == kind }) else { continue }
        let moved = Swift.min(-result[left].octets, result[body].octets)
        result[left].octets += moved
        result[body].octets -= moved
      }
    }
    return result.significant
  }
}
