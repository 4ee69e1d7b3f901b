import Capture
import HTTPReassembly
import Packets

/// Finds captures of one run that have the packets of an earlier one of the same time, before any packet of them is counted.
///
/// Only where captures overlap in time is anything read for it: each of them once, beside the run's own reading.
struct CaptureOverlap {
  private let configuration: Configuration
  private let filter: PacketFilter?
  private var seen = SeenTraffic()
  /// Captures that were read, by their places in the series.
  private var paths: [String] = []
  /// Those of which there is no sample yet, with the time of the last packet.
  private var unseen: [(number: Int, last: Int64)] = []
  /// The capture that is being read, where its last packet is not known.
  private var current: Int?

  /// Prepares for captures that are read with `filter`.
  init(configuration: Configuration, filter: PacketFilter?) {
    self.configuration = configuration
    self.filter = filter
  }

  /// The next capture of a series begins, or is left out of it where it has packets of an earlier one.
  ///
  /// - Throws: why it is left out.
  mutating func begin(_ series: inout CaptureSeries) throws(CaptureError) {
    if let current, let last = series.lastTimestamp { unseen.append((current, last)) }
    current = nil
    let path = series.path
    guard !CaptureSeries.isStream(path), let first = series.firstTimestamp else { return }
    let number = paths.count
    paths.append(path)
    let overlapped = unseen.filter { first < $0.last }
    guard !overlapped.isEmpty || seen.reaches(first) else {
      current = number
      return
    }
    for (earlier, _) in overlapped {
      let (marks, last) = sample(paths[earlier])
      seen.add(marks, of: earlier, until: last ?? first, first: first)
    }
    unseen.removeAll { capture in overlapped.contains { $0.number == capture.number } }
    let (marks, last) = sample(path)
    if let other = seen.capture(with: marks, from: first) {
      series.skip()
      throw CaptureError(file: path, problem: .hasPacketsOf(paths[other]))
    }
    seen.add(marks, of: number, until: last ?? first, first: first)
  }

  /// A sample of a capture, and the time of its last packet. What cannot be read is said when the capture is analysed.
  private func sample(_ path: String) -> (marks: [UInt64], last: Int64?) {
    var series = CaptureSeries(
      paths: [path], filter: filter, waiting: Waiting(stop: StopSignals.stop), readsAhead: true)
    var sample = TrafficSample(configuration: configuration)
    var last: Int64?
    func take(_ packet: Packet, _ octets: RawSpan) {
      last = max(last ?? .min, packet.timestamp)
      sample.take(packet, octets)
    }
    reading: while true {
      do throws(CaptureError) {
        switch try series.advance() {
        case .end: break reading
        case .capture: continue
        case .packet: series.withPacket { take($0, $1) }
        }
        try series.passOn { packet, octets in
          take(packet, octets)
          return true
        }
      } catch { break }
    }
    return (sample.takeMarks(), last)
  }
}
