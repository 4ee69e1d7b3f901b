import TestSupport
import Testing

@testable import HTTPReassembly

/// What can be compared does not depend on whether it was copied or is read again.
@Suite struct PayloadHistoryTests {
  private final class Capture: CapturedOctets {
    var octets: [UInt8] = []
    var isGone = false

    func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool {
      guard !isGone, source.capture == 1, source.offset >= 0, source.offset + count <= octets.count else {
        return false
      }
      if buffer.count < count { buffer = Array(repeating: 0, count: count) }
      buffer.replaceSubrange(0..<count, with: octets[source.offset..<source.offset + count])
      return true
    }
  }

  @Test func placesAndCopiesSayTheSame() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<RandomCases.count(60) {
      let capture = Capture()
      var copying = PayloadHistory(capacity: 4096)
      var reading = PayloadHistory(capacity: 4096)
      reading.captured = capture
      var marks = [(copying: 0, reading: 0, position: 0, sent: [UInt8]())]
      marks.append(marks[0])
      var conflicts = 0
      for _ in 0..<200 {
        let stream = random.number(0..<2)
        let payload = Wire.payload(random.number(1..<200), seed: random.number(0..<256))
        let position = marks[stream].position
        // Now and then without a source: as of a datagram that came in fragments.
        let source = random.chance(0.8) ? CaptureOffset(capture: 1, offset: capture.octets.count) : nil
        capture.octets += payload + [0xff]
        payload.withOctets {
          copying.remember($0, at: position, source: source, newest: &marks[stream].copying)
          reading.remember($0, at: position, source: source, newest: &marks[stream].reading)
        }
        marks[stream].sent += payload
        marks[stream].position += payload.count
        // Any part of the stream again, often with another octet.
        let start = random.number(0..<marks[stream].sent.count)
        let end = min(marks[stream].sent.count, start + random.number(1..<400))
        var again = Array(marks[stream].sent[start..<end])
        if random.chance(0.5) { again[random.number(0..<again.count)] ^= 1 }
        let found = again.withOctets {
          (
            copying.differs($0, at: start, newest: marks[stream].copying),
            reading.differs($0, at: start, newest: marks[stream].reading)
          )
        }
        #expect(found.0 == found.1)
        if found.0 { conflicts += 1 }
      }
      #expect(conflicts > 10)
    }
  }

  /// A capture that cannot be read again, such as one that was cut off meanwhile, shows no difference.
  @Test func whatIsGoneDiffersFromNothing() {
    let capture = Capture()
    capture.octets = Wire.payload(100)
    var history = PayloadHistory(capacity: 4096)
    history.captured = capture
    var newest = 0
    capture.octets.withOctets {
      history.remember($0, at: 0, source: CaptureOffset(capture: 1, offset: 0), newest: &newest)
    }
    let other = Wire.payload(100, seed: 8)
    #expect(other.withOctets { history.differs($0, at: 0, newest: newest) })
    capture.isGone = true
    #expect(!other.withOctets { history.differs($0, at: 0, newest: newest) })
  }
}
