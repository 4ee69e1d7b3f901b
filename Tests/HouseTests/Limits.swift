@testable import Capture
@testable import ContentCodings
@testable import Estimates
@testable import HTTPReassembly
@testable import MetricsEndpoint
@testable import Parquet
@testable import Partials
@testable import Reports
@testable import Shared
@testable import TableReading
@testable import Tabular
@testable import TrafficProbe

/// The limits of the program, under the names that docs/limits.md has for them.
enum Limits {
  /// Each with its value; durations are nanoseconds.
  static var all: [String: Int] {
    constants.merging(
      settings(of: Configuration(), "Configuration").merging(settings(of: LogOptions(), "LogOptions")) { $1 }
        .merging(settings(of: HARLimits(), "HARContent")) { $1 }
        .merging(settings(of: MetricsServer.Limits(), "MetricsServer")) { $1 }
        .merging(settings(of: PageServer.Limits(), "PageServer")) { $1 }
    ) { $1 }
  }

  /// The numbers and durations that a value has, which so need not be listed.
  private static func settings(of value: Any, _ name: String) -> [String: Int] {
    var settings: [String: Int] = [:]
    for child in Mirror(reflecting: value).children {
      guard let label = child.label else { continue }
      switch child.value {
      case let number as Int: settings["\(name).\(label)"] = number
      case let number as Int64: settings["\(name).\(label)"] = Int(number)
      case let duration as Duration: settings["\(name).\(label)"] = Int(duration / .nanoseconds(1))
      default: break
      }
    }
    return settings
  }

  private static let constants: [String: Int] = [
    "Tunnel.connectionLimit": Tunnel.connectionLimit, "Tunnel.headerLimit": Tunnel.headerLimit,
    "Tunnel.patience": Tunnel.patience * 1_000_000_000, "HeldResponse.limit": HeldResponse.limit,
    "DeliveredContent.compressionLimit": DeliveredContent.compressionLimit,
    "FieldTables.hostLimit": FieldTables.hostLimit,
    "CaptureLimits.packet": CaptureLimits.packet, "CaptureLimits.block": CaptureLimits.block,
    "CaptureLimits.interfaces": CaptureLimits.interfaces, "CaptureLimits.waitingNames": CaptureLimits.waitingNames,
    "CaptureLimits.nameLength": CaptureLimits.nameLength, "CaptureLimits.waitingSecrets": CaptureLimits.waitingSecrets,
    "CaptureLimits.waitingSecretsOctets": CaptureLimits.waitingSecretsOctets,
    "CaptureLimits.numberedInterfaces": CaptureLimits.numberedInterfaces,
    "CaptureLimits.numberedProcesses": CaptureLimits.numberedProcesses,
    "CaptureLimits.processes": CaptureLimits.processes,
    "CaptureLimits.numberedComments": CaptureLimits.numberedComments,
    "CaptureLimits.commentLength": CaptureLimits.commentLength,
    "CaptureLimits.commentOctets": CaptureLimits.commentOctets, "CaptureLimits.waitingApps": CaptureLimits.waitingApps,
    "OverlappingCaptures.limit": OverlappingCaptures.limit, "OverlappingPartials.limit": OverlappingPartials.limit,
    "PacketCopies.limit": PacketCopies.limit, "ZstdMemory.limit": ZstdMemory.limit,
    "ZstdMemory.windowLogLimit": ZstdMemory.windowLogLimit,
    "OverlappingPartials.memoryLimit": OverlappingPartials.memoryLimit,
    "Condition.lengthLimit": Condition.lengthLimit, "Condition.depthLimit": Condition.depthLimit,
    "SelectedExchanges.waitingLimit": SelectedExchanges.waitingLimit,
    "SelectedExchanges.textLimit": SelectedExchanges.textLimit,
    "SelectedExchanges.apiLimit": SelectedExchanges.apiLimit,
    "RecentExchanges.limit": RecentExchanges.limit, "RecentExchanges.nameLimit": RecentExchanges.nameLimit,
    "ProcessTable.limit": ProcessTable.limit, "ExpectedProcesses.limit": ExpectedProcesses.limit,
    "CaptureLimits.originTextLength": CaptureLimits.originTextLength,
    "CaptureLimits.programPathLength": CaptureLimits.programPathLength,
    "QUICOpener.failureLimit": QUICOpener.failureLimit, "QUICOpener.helloLimit": QUICOpener.helloLimit,
    "QUICConnections.trialReserve": QUICConnections.trialReserve, "QUICStreams.pieceLimit": QUICStreams.pieceLimit,
    "QUICOpener.attemptLimit": QUICOpener.attemptLimit, "CryptoOctets.pieceLimit": CryptoOctets.pieceLimit,
    "QUICOpener.idLimit": QUICOpener.idLimit, "QUICConnection.furtherServerLimit": QUICConnection.furtherServerLimit,
    "QUICConnections.addressLimit": QUICConnections.addressLimit,
    "QUICConnections.sharedLimit": QUICConnections.sharedLimit,
    "HTTP3FrameSearch.octetLimit": HTTP3FrameSearch.octetLimit, "PacketNumbers.window": PacketNumbers.window,
    "PacketRoom.trialOctetLimit": PacketRoom.trialOctetLimit, "KeyPhases.trialLimit": KeyPhases.trialLimit,
    "KeyPhases.updateLimit": KeyPhases.updateLimit,
    "KeyPhases.numberLimit": KeyPhases.numberLimit, "QUICStreams.gapLimit": QUICStreams.gapLimit,
    "OctetWindow.defaultCapacity": OctetWindow.defaultCapacity, "ReadAhead.bufferLength": ReadAhead.bufferLength,
    "LiveCapture.maximumSnapshotLength": LiveCapture.Options.maximumSnapshotLength,
    "LiveCaptureReader.defaultQueue": LiveCaptureReader.QueueLimits.defaultCapacity,
    "SpillFile.defaultCapacity": SpillFile.defaultCapacity,

    "PacketDelay.delay": Int(PacketDelay.delay), "PacketDelay.octetLimit": PacketDelay.octetLimit,
    "PcapngFileWriter.rememberedSecretsLimit": PcapngFileWriter.rememberedSecretsLimit,
    "KeyLog.lineLimit": KeyLog.lineLimit, "KeyLog.newestLimit": KeyLog.newestLimit,
    "KeyLog.candidateLimit": KeyLog.candidateLimit, "KeyLogFile.streamLimit": KeyLogFile.streamLimit,
    "KeyLog.trialLimit": KeyLog.trialLimit, "SecretOffers.most": SecretOffers.most,
    "TLSSession.trialLimit": TLSSession.trialLimit,
    "HandshakeMessages.lengthLimit": HandshakeMessages.lengthLimit,
    "TLSSession.attemptLimit": TLSSession.attemptLimit, "TLSSession.nameAttemptLimit": TLSSession.nameAttemptLimit,
    "TLSSession.searchAttemptLimit": TLSSession.searchAttemptLimit, "SecureHosts.limit": SecureHosts.limit,
    "UnpairedResponses.limit": UnpairedResponses.limit, "UnpairedResponses.retained": UnpairedResponses.retained,
    "UnpairedResponses.searchLimit": UnpairedResponses.searchLimit,
    "Conversation.boundaryLimit": Conversation.boundaryLimit,
    "Conversation.serialLimit": Int(Conversation.serialLimit),
    "UndecidedProtocol.eventLimit": UndecidedProtocol.eventLimit,
    "UndecidedProtocol.prefixEventLimit": UndecidedProtocol.prefixEventLimit,
    "PrefixReading.lengthLimit": PrefixReading.lengthLimit, "Negotiation.copyLimit": Negotiation.copyLimit,
    "UndecidedProtocol.frameOctetLimit": UndecidedProtocol.frameOctetLimit, "HPACKChances.limit": HPACKChances.limit,
    "UndecidedProtocol.octetLimit": UndecidedProtocol.octetLimit, "FrameSearch.chainLimit": FrameSearch.chainLimit,
    "HTTP1Session.searchLimit": Int(HTTP1Session.searchLimit),
    "HTTP2Settings.largestFrameLimit": HTTP2Settings.largestFrameLimit,
    "MultipathConnections.limit": MultipathConnections.limit,
    "MultipathConnections.joiningLimit": MultipathConnections.joiningLimit,
    "MultipathConnections.silentLimit": MultipathConnections.silentLimit,
    "MultipathConnections.sameTokenLimit": MultipathConnections.sameTokenLimit,
    "MultipathMappings.limit": MultipathMappings.limit,
    "DataAcknowledgments.limit": DataAcknowledgments.limit,
    "TCPStream.holeLimit": TCPStream.holeLimit, "Method.longestPlausible": Method.longestPlausible,
    "PendingCharges.conflictLimit": PendingCharges.conflictLimit, "FamiliarLines.longest": FamiliarLines.longest,
    "FamiliarLines.sectionLimit": FamiliarLines.sectionLimit, "FamiliarSections.longest": FamiliarSections.longest,
    "FamiliarSections.lineLimit": FamiliarSections.lineLimit,
    "GroupTable.longest": GroupTable.longest, "FieldTable.latestLimit": FieldTable.latestLimit,
    "PathTemplate.segmentLimit": PathTemplate.segmentLimit,
    "HPACKDynamicTable.repeatedNameLimit": HPACKDynamicTable.repeatedNameLimit,
    "FieldTable.nameLimit": FieldTable.nameLimit, "FieldNotes.messageLimit": FieldNotes.messageLimit,
    "FieldNotes.totalLimit": FieldNotes.totalLimit, "FieldNames.limit": FieldNames.limit,
    "FieldNames.longest": FieldNames.longest, "ContentNotes.sampleLimit": ContentNotes.sampleLimit,
    "ContentNotes.totalLimit": ContentNotes.totalLimit, "ContentTable.sampleLimit": ContentTable.sampleLimit,
    "ContentTable.firstSamples": Int(ContentTable.firstSamples),
    "RefiningTables.openTableLimit": RefiningTables.openTableLimit,
    "RefiningTables.openSampleLimit": RefiningTables.openSampleLimit,
    "TimeMark.limit": TimeMark.limit, "TimeMark.labelLimit": TimeMark.labelLimit,
    "MarkList.sizeLimit": MarkList.sizeLimit, "MarkList.lineLimit": MarkList.lineLimit,
    "TableRounds.rowLimit": TableRounds.rowLimit, "TableRounds.lineLimit": TableRounds.lineLimit,
    "TableRounds.sampleLimit": TableRounds.sampleLimit, "TableRounds.delay": TableRounds.delay,
    "LatencyDistribution.exactLimit": LatencyDistribution.exactLimit, "Anomaly.exampleLimit": AnomalyLog.exampleLimit,

    "OutputBuffer.capacity": OutputBuffer.capacity, "SystemContentDecoders.idleLimit": SystemContentDecoders.idleLimit,
    "DecodingBudget.pieceLength": DecodingBudget.pieceLength, "HeldContent.limit": HeldContent.limit,
    "GzipMember.capacity": GzipMember.capacity,
    "PendingContents.waitingLimit": PendingContents.waitingLimit,
    "FamiliarContents.octetLimit": FamiliarContents.octetLimit,
    "SystemContentDecoders.idleMemoryLimit": SystemContentDecoders.idleMemoryLimit,
    "WindowMemory.usual": WindowMemory.usual,
    "SystemContentDecoders.inflaterMemoryLimit": SystemContentDecoders.inflaterMemoryLimit,
    "SystemContentDecoders.windowMemoryLimit": SystemContentDecoders.windowMemoryLimit,
    "ZstandardStage.windowLogLimit": Int(ZstandardStage.windowLogLimit),
    "ZstandardStage.keptLimit": ZstandardStage.keptLimit, "Inflater.inputLimit": Inflater.inputLimit,
    "GzipLength.bufferLength": GzipLength.bufferLength, "GzipLength.inputLimit": GzipLength.inputLimit,

    "ParquetFile.groupRows": ParquetFile.groupRows, "ParquetFile.groupOctets": ParquetFile.groupOctets,
    "ColumnChunk.pageRows": ColumnChunk.pageRows, "ColumnChunk.pageOctets": ColumnChunk.pageOctets,
    "ValueDictionary.limit": ValueDictionary.limit, "ValueDictionary.octetLimit": ValueDictionary.octetLimit,
    "ColumnStatistics.textLimit": ColumnStatistics.textLimit, "ParquetTable.flushLimit": ParquetTable.flushLimit,
    "SQLiteReport.batch": SQLiteReport.batch, "SQLiteReport.textLimit": SQLiteReport.textLimit,
    "RowBatch.capacity": RowBatch.capacity, "OrderedRows.memoryLimit": OrderedRows.memoryLimit,
    "OrderedRows.runLimit": OrderedRows.runLimit, "RepeatedText.limit": RepeatedText.limit,
    "JUnitDocument.caseLimit": JUnitDocument.caseLimit, "LineWrites.pageLength": LineWrites.pageLength,
    "Summary.defaultAPILimit": Summary.defaultAPILimit,
    "CaptureMetrics.defaultSeriesLimit": CaptureMetrics.defaultSeriesLimit, "LabelText.limit": LabelText.limit,
    "RequestHead.lengthLimit": RequestHead.lengthLimit,
    "ListeningSocket.sendBufferLength": ListeningSocket.sendBufferLength,
    "ConnectionLoop.pieceLength": ConnectionLoop.pieceLength,
    "ClientConnection.pause": Int(ClientConnection.pause / .nanoseconds(1)),
    "ClientConnection.farewell": Int(ClientConnection.farewell / .nanoseconds(1)),

    "ModelErrors.apiLimit": ModelErrors.apiLimit, "ModelErrors.nameLimit": ModelErrors.nameLimit,
    "ModelErrors.waitingLimit": ModelErrors.waitingLimit,
    "WireMessageObserver.headerLimit": WireMessageObserver.headerLimit,
    "WireMessageObserver.fieldLimit": WireMessageObserver.fieldLimit,
    "WireMessageObserver.totalLimit": WireMessageObserver.totalLimit,
    "WireMessageObserver.compressorLimit": WireMessageObserver.compressorLimit,
    "WireTable.memoryLimit": WireTable.memoryLimit,
    "WireMessage.lengthLimit": WireMessage.lengthLimit, "FirefoxHARModel.bodyLimit": FirefoxHARModel.bodyLimit,
    "CSVRecords.longest": CSVRecords.longest, "JSONFault.limit": JSONFault.limit,
    "JSONElements.longest": JSONElements.longest, "JSONElements.longestText": JSONElements.longestText,
    "JSONTableLog.columnLimit": JSONTableLog.columnLimit, "JSONTableLog.nameLimit": JSONTableLog.nameLimit,
    "SQLiteSource.longestValue": SQLiteSource.longestValue, "MonitorRow.limit": NamePool.limit,
    "SQLiteTable.limit": Estimates.SQLiteLogTable.limit, "LogMapping.longest": LogMapping.longest,
    "CurlLog.longestLine": CurlLog.longestLine, "ClockFit.candidateLimit": ClockFit.candidateLimit,
    "Pairing.cellLimit": Matcher.cellLimit, "CrossingRepair.columnLimit": CrossingRepair.columnLimit,
    "FreeAssignment.sizeLimit": FreeAssignment.sizeLimit, "FreeAssignment.workLimit": FreeAssignment.workLimit,
    "FreeAssignment.chainLimit": FreeAssignment.chainLimit,
    "RequestChains.limit": RequestChains.limit, "RequestChains.alternativeLimit": RequestChains.alternativeLimit,
    "BodyReading.limit": BodyReading.limit,
    "WholeReading.limit": WholeReading.limit, "HeaderReadingSearch.costLimit": HeaderReadingSearch.costLimit,
    "HeaderReadingSearch.groupLimit": HeaderReadingSearch.groupLimit,
    "HeaderReadingSearch.sumLimit": HeaderReadingSearch.sumLimit,

    "ReportedAPIs.longestText": ReportedCell.longestText, "GrowthThreshold.octetLimit": GrowthThreshold.octetLimit,
  ]

  /// Limits of the page that only their own files can see: a test holds their names, and nobody their values.
  static let closed: Set<String> = [
    "RereadableFiles.limit", "PcapngEncoder.textLimit",
    "HeaderSection.combinedLimit", "ChunkSize.digitLimit", "HTTP1Parser.longestStartLine",
    "TLSRecords.longestRecord",
    "QUICConnections.trialLimit", "QUICOpener.searchLimit", "RecordMemory.trialOctetLimit",
    "HTTP2Session.offerLengthLimit", "HTTP2Session.offerLimit",
    "ConnectionRaces.hostLimit",
    "ConnectionRaces.startLimit",
    "DNSAnswers.recordLimit", "DNSAnswers.aliasLimit", "DNSLookups.limit",

    "RowLimit.factor", "RowLimit.base", "RowLimit.unknown", "RowLimit.hourly",

    "VerifyCoverage.closedLimit", "VerifyCoverage.remedyLimit", "VerifyCoverage.unexplainedLimit",
    "VerifyText.limit", "LiveReadings.nameLimit", "DescriptorTable.processLimit",
    "DescriptorTable.descriptorLimit",
    "LiveView.filterLimit", "LiveDisplay.heldLimit", "LiveAnalysis.endPatience", "ServedPage.interval",
    "ServedPage.share", "ServedPage.endPatience", "ReportedAPIs.rowLimit", "ReportedAPIs.nameLimit",
    "BudgetFile.sizeLimit",
    "ComparisonTable.beyondLimit", "ComparisonChecks.annotationLimit", "BudgetText.limit",
  ]

  /// Sizes of buffers, rounds, caches and searches: beyond them nothing is lost, and no user sees them. They stand in no page.
  static let unseen: Set<String> = [
    "Anomaly.exampleLimit", "ColumnChunk.pageOctets", "ColumnChunk.pageRows", "ConcurrentReports.limit",
    "Configuration.decodedAtOnceRatio", "Configuration.decodedTotalRatio", "Configuration.payloadHistoryLength",
    "ConnectionLoop.pieceLength",
    "CopiedTexts.limit", "DecodingBudget.pieceLength", "DescriptorTable.limit", "FamiliarContents.octetLimit",
    "FamiliarLines.longest", "FamiliarLines.sectionLimit", "FamiliarSections.lineLimit", "FamiliarSections.longest",
    "FileLines.bufferLength", "FileRecords.bufferLength",
    "FrameSearch.chainLimit", "GzipInput.inputLength", "GzipLength.bufferLength", "GzipLength.inputLimit",
    "GzipMember.capacity", "HARReport.entryReserve", "HARWire.statusLimit", "HeldContent.limit", "Inflater.inputLimit",
    "LatencyDistribution.exactLimit", "LatencyDistribution.foldingLimit", "LineWrites.pageLength",
    "ListeningSocket.sendBufferLength", "MonitorRow.limit", "OctetWindow.defaultCapacity", "OrderedRows.memoryLimit",
    "OrderedRows.runLimit", "OutputBuffer.capacity", "OutputFile.bufferLength", "ParquetFile.groupOctets",
    "ParquetFile.groupRows", "PayloadHistory.chainLimit", "PcapngFileWriter.bufferLength",
    "PendingContents.waitingLimit", "ReadAhead.bufferLength", "RowBatch.capacity", "SQLiteReport.batch",
    "SQLiteReport.textLimit", "SocketOwners.toldLimit", "SortedRun.bufferLength", "SystemContentDecoders.idleLimit",
    "SystemContentDecoders.idleMemoryLimit", "TableRounds.delay", "TableRounds.lineLimit", "TableRounds.rowLimit",
    "TableRounds.sampleLimit", "TextCells.cellsLimit", "TextCells.longestText", "UnpairedResponses.retained",
    "ValueDictionary.limit", "ValueDictionary.octetLimit", "ZstandardStage.keptLimit",
  ]
}
