/// The frames of an aggregate behind the one that is decoded, and the state in which they are decoded.
///
/// No class has their octets yet.
struct LaterFrames {
  /// Where they lie in the packet.
  var range: Range<Int>
  var carrier: Dissection.Carrier
  var depth: Int
  var trimsToLink: Bool
  var name: Dissection.HeaderName
  /// Octets of the whole packet on the wire.
  var wireLength: Int
}

extension Dissection {
  /// Leaves the octets from `start` for later dissections.
  mutating func leaveFrames(from start: Int) {
    laterFrames = LaterFrames(
      range: start..<end, carrier: carrier, depth: depth, trimsToLink: trimsToLink, name: name, wireLength: wireLength)
    share -= end - start
    end = start
  }

  /// Starts at the first one of the frames that another dissection left.
  init(_ frames: LaterFrames, captured: Int, limits: Limits) {
    self.init(wireLength: frames.wireLength, captured: captured, limits: limits)
    offset = frames.range.lowerBound
    end = frames.range.upperBound
    share = frames.range.count
    carrier = frames.carrier
    depth = frames.depth
    isOpening = depth > 0
    trimsToLink = frames.trimsToLink
    name = frames.name
  }
}
