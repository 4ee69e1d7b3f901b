import HTTPReassembly
import Tabular

/// A live capture without a terminal: one line for each interval, for people and programs.
///
/// ```
/// time=12.0 packets=1234 bytes=987654 packets/s=103 bytes/s=81920 requests=10 messages=19 apis=3 connections=2 dropped=0 behind=0.0 top=api.example.com/a
/// ```
///
/// Fields come in this order. New ones come before `top`, which is last because it may have spaces.
public struct PlainLines: Sendable {
  private var readings: LiveReadings

  /// Starts before the first interval.
  ///
  /// - Parameter redaction: Leaves out personal facts.
  public init(redaction: Redaction? = nil) { readings = LiveReadings(redaction: redaction) }

  /// The line for the figures until now, with its line break. Packets, bytes, requests, messages and dropped packets count from
  /// the start. Rates are of the interval, and the top API is the one with the most bytes in it.
  ///
  /// - Parameters:
  ///   - totals: A snapshot of the analysis.
  ///   - elapsed: Nanoseconds since the start of the capture, by a clock that does not go backwards.
  ///   - connections: Followed connections.
  ///   - behind: Nanoseconds since the capture of the packets that are being analyzed.
  /// - Returns: The line.
  public mutating func line(_ totals: Totals, at elapsed: Int64, connections: Int, behind: Int64 = 0) -> String {
    readings.update(totals, at: elapsed, connections: connections, behind: behind)
    var fields = ["time=\(Self.seconds(readings.elapsed))"]
    func add(_ name: String, _ value: Int) { fields.append("\(name)=\(value)") }
    add("packets", totals.ledger.packets)
    add("bytes", totals.ledger.original)
    add("packets/s", Self.whole(readings.packetRate))
    add("bytes/s", Self.whole(readings.octetRate))
    add("requests", readings.apis.reduce(0) { $0 + $1.requests })
    add("messages", readings.messages)
    add("apis", readings.apis.count)
    add("connections", connections)
    add("dropped", totals.ledger.droppedPackets)
    fields.append("behind=\(Self.seconds(readings.behind))")
    let top = LiveOrder.rate.arranged(readings.apis, filter: "").first.map { readings.apis[$0] }
    if let top, top.rate > 0 {
      fields.append("top=\(top.name)")
    } else {
      fields.append("top=")
    }
    return fields.joined(separator: " ") + "\n"
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func whole(_ rate: Double) -> Int { Int(min(rate.rounded(), 1e18)) }
}
