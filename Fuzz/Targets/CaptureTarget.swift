import Capture
import HTTPReassembly

extension FuzzTarget {
  /// A capture file, plain or compressed: read through a small window and through a large one it is the same, no packet
  /// is longer than the file, and the length of events is bounded.
  package static let capture = FuzzTarget("capture", longestInput: 4096) { input in
    InputFile.withFile(input) { path in
      let large = CaptureReading(path, bufferCapacity: 8192)
      if let fault = large.fault { return fault }
      let small = CaptureReading(path, bufferCapacity: 64)
      // What a decompressor gives before it finds a fault depends on how much it is asked for.
      if large.isCompressionFault || small.isCompressionFault { return nil }
      guard large.text != small.text else { return nil }
      return "through a large window: \(large.text)\nthrough a small one: \(small.text)"
    }
  }
}

/// What was read of a capture file.
private struct CaptureReading {
  var packets = 0
  var octets = 0
  var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  var events = 0
  var dropped: UInt64?
  var error = "none"
  var isCompressionFault = false
  var fault: String?

  var text: String { "\(packets) packets, \(octets) octets, digest \(digest), \(events) events, \(error)" }

  init(_ path: String, bufferCapacity: Int) {
    do throws(CaptureError) {
      var reader = try CaptureReader(path: path, filter: nil, bufferCapacity: bufferCapacity)
      while try reader.advance() {
        reader.withPacket { packet, octets in take(packet, octets) }
        for event in reader.takeEvents() { take(event) }
      }
      for event in reader.takeEvents() { take(event) }
      dropped = reader.dropped
    } catch {
      self.error = "\(error)"
      switch error.problem {
      case .compressionCorrupt, .compressionCut: isCompressionFault = true
      default: break
      }
    }
  }

  private mutating func take(_ packet: Packet, _ octets: RawSpan) {
    packets += 1
    self.octets += octets.byteCount
    if packet.originalLength < octets.byteCount { fault = "\(octets.byteCount) octets of \(packet.originalLength)" }
    mix(UInt64(bitPattern: packet.timestamp))
    mix(UInt64(packet.originalLength))
    mix(UInt64(packet.linkType.rawValue))
    mix(UInt64(packet.origin.interface) << 32 | UInt64(packet.origin.process) << 16 | UInt64(packet.origin.comment))
    mix(UInt64(packet.origin.effectiveProcess) << 16 | UInt64(packet.origin.flags.rawValue))
    for offset in 0..<octets.byteCount { mix(UInt64(octets.octet(offset))) }
  }

  private mutating func take(_ event: CaptureEvent) {
    events += 1
    for octet in String(reflecting: event).utf8 { mix(UInt64(octet)) }
    switch event {
    case .name(let record) where record.name.count > 255: fault = "a name of \(record.name.count) octets"
    case .comment(let record) where record.octets.count > 2048: fault = "a comment of \(record.octets.count) octets"
    // Their text does not show them.
    case .secrets(let record): for octet in record.octets { mix(UInt64(octet)) }
    default: break
    }
  }

  private mutating func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01b3 }
}
