import Capture
import ContentCodings
import HTTPReassembly

/// Everything that the library finds in one capture.
struct CaptureRun: Sendable {
  /// The messages, in the order of their numbers.
  var messages: [FoundMessage]
  /// The exchanges, in the order of their numbers.
  var exchanges: [Exchange]
  /// The connections, in the order of their numbers.
  var connections: [Connection]
  /// Where the octets went.
  var ledger: Ledger
  /// The oddities.
  var anomalies: AnomalyLog
  /// The totals by API.
  var apis: [APITotals]
  /// Everything that the library counted.
  var totals: Totals
  /// Why the capture could not be read to its end.
  var readError: CaptureError?

  /// Runs the library over a capture, as the main job does.
  ///
  /// - Parameters:
  ///   - path: The capture.
  ///   - limit: Packets after which to stop, as if the capture ended there.
  ///   - keys: A key log; what the capture has itself is used, too.
  init(path: String, limit: Int = .max, keys: String? = nil) {
    var configuration = Configuration()
    configuration.tables = [.hosts, .timeline, .contents, .fields]
    var pipeline = Pipeline(configuration: configuration, decoders: SystemContentDecoders(), sink: RowCollector())
    do throws(CaptureError) {
      if let keys {
        let log = try KeyLogFile(path: keys)
        try log.readLines { pipeline.learn(secrets: $0) }
        log.finish { pipeline.learn(secrets: $0) }
        pipeline.endOfSecrets()
      }
      CaptureSecrets.read([path]) { secrets in
        secrets.octets.withOctets { pipeline.learn(secrets: $0) }
        pipeline.endOfSecrets()
      }
      var reader = try CaptureReader(path: path)
      var left = limit
      while left > 0, try reader.advance() {
        for case .name(let record) in reader.takeEvents() { pipeline.learn(name: record.name, for: record.address) }
        reader.withPacket { packet, octets in pipeline.process(packet, octets) }
        left -= 1
      }
    } catch {
      readError = error
    }
    pipeline.finishConnections()
    totals = pipeline.totals
    ledger = totals.ledger
    anomalies = totals.anomalies
    apis = totals.apis
    messages = pipeline.sink.messages.sorted { $0.message.number < $1.message.number }
    exchanges = pipeline.sink.exchanges.sorted { $0.number < $1.number }
    connections = pipeline.sink.connections.sorted { $0.number < $1.number }
  }

  /// All rows in full, to compare runs by.
  var rows: [String] {
    messages.map { "\($0)" } + exchanges.map { "\($0)" } + connections.map { "\($0)" }
  }
}

/// A message with its texts, which the library lends during a call only.
struct FoundMessage: Sendable {
  /// The message.
  var message: Message
  /// The request's method.
  var method: String
  /// The request's host.
  var host: String
  /// The request's path.
  var path: String

  /// Whether it is a request.
  var isRequest: Bool { message.kind == .request }
  /// The side that sent it.
  var source: String { (isRequest ? message.client : message.server).oracleName }
  /// The side that it was sent to.
  var destination: String { (isRequest ? message.server : message.client).oracleName }
  /// Path and length of the query, as far as they are known: `/search?12`.
  var target: String { path + (message.queryLength.map { "?\($0)" } ?? "") }
}

extension Endpoint {
  /// The endpoint as the oracle writes it: IPv6 without brackets.
  var oracleName: String { "\(address):\(port)" }
}
