import Locks

/// The page that is served at the moment: what the analysis hands over, and any number of requests read.
final class MetricsPage: Sendable {
  let octets = Locked<[UInt8]>([])
}
