import Packets

/// Analyses the packets of a capture that depend on nothing that another capture says, and writes down what it finds, for an analysis that
/// puts parts together.
package struct PartAnalysis: ~Copyable {
  private var pipeline: Pipeline<NoRows>
  private let recorder: PartRecorder

  /// Starts an analysis.
  ///
  /// - Parameters:
  ///   - configuration: The limits and choices.
  ///   - decoders: Makes decoders for content codings.
  ///   - compressor: Says what compression would do for contents that came without.
  ///   - captured: Reads octets of packets again.
  package init(
    configuration: Configuration, decoders: (any ContentDecoderSource)?, compressor: (any ContentCompressor)?,
    captured: (any CapturedOctets)?
  ) {
    var configuration = configuration
    configuration.tables = [.contents, .fields, .timeline]
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

  /// It is the time of the next packet: what is due before it is done, and its records stand before the packet's.
  package mutating func advance(to packet: Packet) { pipeline.advance(to: packet.timestamp) }

  /// Takes the packet.
  package mutating func process(_ packet: Packet, _ octets: RawSpan) {
    recorder.rows.base = packet.timestamp
    pipeline.process(packet, octets)
    pipeline.noteChanges()
  }

  /// The packet is kept as it is: only its time matters here.
  package mutating func skip(_ packet: Packet) {
    recorder.rows.base = packet.timestamp
    pipeline.skip(to: packet.timestamp)
    pipeline.noteChanges()
  }

  /// It is `time` where the packets are captured, and no packet has come, as `Pipeline.pass` says.
  package mutating func pass(to time: Int64) {
    pipeline.pass(to: time)
    pipeline.noteChanges()
  }

  /// Lends the records since the last time, in pieces of whole records.
  ///
  /// - Throws: what `body` throws.
  package mutating func takeRecords<Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    try recorder.take(body)
  }

  /// Ends the analysis, with its last record.
  ///
  /// - Parameter scan: Learns which connections turned out to depend on what other parts say.
  /// - Returns: Whether there are none: else what was written down is of no use, and the capture has to be analysed again.
  package mutating func finish(_ scan: inout ConnectionScan) -> Bool {
    for key in pipeline.openConnections { recorder.depend(on: key) }
    guard recorder.dependent.isEmpty else {
      scan.keep(recorder.dependent)
      return false
    }
    recorder.rows.base = 0
    recorder.end(pipeline.ledger, pipeline.timelinePart)
    return true
  }
}

/// Takes no rows: all of them are written down.
struct NoRows: ReportSink {
  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {}
}
