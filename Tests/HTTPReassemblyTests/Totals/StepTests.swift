import TestSupport
import Testing

@testable import HTTPReassembly

/// The steps between marks add up to the ledger, wherever the marks are.
@Suite struct StepTests {
  private func dialogue() -> Dialogue {
    var dialogue = Dialogue.opened()
    for index in 0..<20 {
      dialogue.send(.client, "GET /\(index) HTTP/1.1\r\nHost: a.example\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
    }
    dialogue.close()
    return dialogue
  }

  private func analysis(_ marks: [TimeMark], interval: Int64? = nil) -> Analysis {
    var configuration = Configuration()
    configuration.marks = marks
    configuration.timelineInterval = interval
    return Analysis(dialogue().packets(), configuration: configuration)
  }

  @Test func randomMarks() throws {
    let plain = analysis([])
    #expect(plain.totals.steps.isEmpty)
    let span = try #require(plain.totals.span)
    var random = SystemRandomNumberGenerator()
    let length = span.upperBound - span.lowerBound
    for count in [1, 2, 3, 10, 700] {
      let marks = (0..<count).map { index in
        TimeMark(
          time: Int64.random(in: span.lowerBound - length...span.upperBound + length, using: &random),
          label: Array("\(index)".utf8))
      }
      for interval in [nil, 1000, 1_000_000_000] as [Int64?] {
        let analysis = analysis(marks, interval: interval)
        #expect(analysis.violations == [])
        let steps = analysis.totals.steps
        #expect(steps.filter { $0.number > 0 }.count == count)
        #expect(
          steps.map(\.number) == steps.map(\.number).sorted() && steps.map(\.start) == steps.map(\.start).sorted())
        for octetClass in OctetClass.allCases {
          #expect(steps.reduce(0) { $0 + $1[octetClass] } == analysis.totals.ledger[octetClass])
        }
        #expect(steps.reduce(0) { $0 + $1.packets } == analysis.totals.ledger.packets)
        for (step, next) in zip(steps, steps.dropFirst()) { #expect(step.end == next.start) }
        // The same intervals, whether marks cut them or not.
        if interval != nil {
          #expect(analysis.totals.timeline == self.analysis([], interval: interval).totals.timeline)
        }
      }
    }
  }

  @Test func aPacketBelongsToTheLastMarkThatIsNotLater() throws {
    let packets = dialogue().packets()
    let times = packets.map(\.facts.timestamp)
    let at = times[7]
    let analysis = analysis([
      TimeMark(time: at, label: [1]), TimeMark(time: at, label: [2]), TimeMark(time: .max, label: [3]),
      TimeMark(time: .min, label: [4]),
    ])
    let steps = analysis.totals.steps
    #expect(steps.map(\.label) == [[4], [1], [2], [3]])
    #expect(steps.map(\.packets) == [times.count { $0 < at }, 0, times.count { $0 >= at }, 0])
    #expect(steps[3].total == 0 && steps[3].end == .max)
  }

  @Test func aMarkOfARunningAnalysisBeginsAfterItsPackets() {
    var configuration = Configuration()
    configuration.tables = [.timeline]
    var pipeline = Pipeline(configuration: configuration, decoders: nil, sink: CollectingSink())
    let packets = dialogue().packets()
    for (index, packet) in packets.enumerated() {
      if index == 5 { pipeline.add(TimeMark(time: .min, label: [1])) }
      packet.octets.withOctets { pipeline.process(packet.facts, $0) }
    }
    pipeline.finishConnections()
    let totals = pipeline.takeTotals()
    #expect(totals.steps.map(\.packets) == [5, packets.count - 5])
    #expect(totals.steps.reduce(0) { $0 + $1.total } == totals.ledger.total)
    #expect(totals.steps.last?.start == packets[4].facts.timestamp + 1)
  }
}
