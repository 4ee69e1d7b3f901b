import Capture

/// Everything that a series gives.
struct SeriesReading {
  var packets: [ReadPacket] = []
  var errors: [CaptureError] = []
  /// What came, in order: `capture` or `continuation`, packet times in seconds, `error`.
  var events: [String] = []

  /// Reads a series to its end, going on after faults.
  init(_ series: inout CaptureSeries) {
    while true {
      do throws(CaptureError) {
        switch try series.advance() {
        case .packet:
          series.withPacket { packets.append(ReadPacket($0, $1)) }
          events.append("\((packets.last?.timestamp ?? -1) / 1_000_000_000)")
        case .capture(let continues): events.append(continues ? "continuation" : "capture")
        case .end: return
        }
      } catch let error {
        errors.append(error)
        events.append("error")
      }
    }
  }
}
