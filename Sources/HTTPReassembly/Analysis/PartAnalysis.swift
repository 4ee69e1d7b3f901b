import Packets

/// Analyzes the packets of a capture that depend on no other capture, and records the results for an analysis that merges parts.
package struct PartAnalysis: ~Copyable {
  private var pipeline: Pipeline<NoRows>
  private let recorder: PartRecorder

  /// Starts an analysis.
  ///
  /// - Parameters:
  ///   - configuration: The limits and choices.
  ///   - decoders: Makes decoders for content codings.
  ///   - compressor: Measures how much compression would save for uncoded contents.
  ///   - captured: Reads octets of packets again.
  package init(
    configuration: Configuration, decoders: (any ContentDecoderSource)?, compressor: (any ContentCompressor)?,
    captured: (any CapturedOctets)?
  ) {
    var configuration = configuration
    configuration.tables = [.contents, .fields, .timeline, .grpc]
    pipeline = Pipeline(configuration: configuration, decoders: decoders, sink: NoRows())
    recorder = PartRecorder(compressor: compressor)
    pipeline.capturedOctets = captured
    pipeline.record(with: recorder)
  }

  /// Learns secrets, as `Pipeline.learn` does.
  package mutating func learn(secrets: RawSpan) {
    pipeline.learn(secrets: secrets)
    pipeline.endOfSecrets()
  }

  /// Advances the clock to the next packet. Records of due actions come before the packet's.
  package mutating func advance(to packet: Packet) { pipeline.advance(to: packet.timestamp) }

  /// Takes the packet.
  package mutating func process(_ packet: Packet, _ octets: RawSpan) {
    recorder.rows.base = packet.timestamp
    pipeline.process(packet, octets)
    pipeline.noteChanges()
  }

  /// Skips a packet that is kept as it is: only its time matters here.
  package mutating func skip(_ packet: Packet) {
    recorder.rows.base = packet.timestamp
    pipeline.skip(to: packet.timestamp)
    pipeline.noteChanges()
  }

  /// Takes the capture time when no packet has come, as `Pipeline.pass` does.
  package mutating func pass(to time: Int64) {
    pipeline.pass(to: time)
    pipeline.noteChanges()
  }

  /// Lends the records since the last call, in pieces of whole records.
  ///
  /// - Throws: Errors of `body`.
  package mutating func takeRecords<Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    try recorder.take(body)
  }

  /// Ends the analysis and writes its last record.
  ///
  /// - Parameter scan: Learns which connections proved to depend on other parts.
  /// - Returns: Whether there were no such connections. If false, the records are useless, and the capture must be analyzed again.
  package mutating func finish(_ scan: inout ConnectionScan) -> Bool {
    for key in pipeline.openConnections { recorder.depend(on: key) }
    guard recorder.dependent.isEmpty else {
      scan.keep(recorder.dependent)
      return false
    }
    recorder.rows.base = 0
    recorder.end(pipeline.ledger, pipeline.timelinePart, hasSteps: pipeline.hasSteps)
    return true
  }
}

/// A sink that gets no rows, since all are recorded.
struct NoRows: ReportSink {
  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
