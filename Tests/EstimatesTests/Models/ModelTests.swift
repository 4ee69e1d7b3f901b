import Estimates
import HTTPReassembly
import TestSupport
import Testing

/// What each model says of messages that were counted by hand.
@Suite struct ModelTests {
  private func figures(_ lengths: PartLengths?) -> [Int]? {
    lengths.map { [$0.line, $0.header, $0.body, $0.framing] }
  }

  @Test func messagesAreWhatTheyWereCountedToBe() throws {
    for (cases, isRequest) in [(ModelMessages.requests, true), (ModelMessages.responses, false)] {
      for each in cases {
        let message = try #require(try ModelMessages.message(each, isRequest: isRequest))
        #expect(figures(PartLengths(message.row.octets)) == each.wire, "\(each.name)")
        #expect(PartLengths(message.row.octets).total == message.row.octets.total)
        #expect(message.isWhole, "\(each.name)")
      }
    }
  }

  @Test(arguments: ModelName.allCases)
  func saysOfRequests(_ name: ModelName) throws {
    let expected = try #require(ModelFigures.requests[name])
    #expect(expected.count == ModelMessages.requests.count)
    for (each, figures) in zip(ModelMessages.requests, expected) {
      let message = try #require(try ModelMessages.message(each, isRequest: true))
      let said = name.model().request(SeenRequest(message, ModelAssumptions()))
      #expect(self.figures(said) == figures, "\(each.name)")
    }
  }

  @Test(arguments: ModelName.allCases)
  func saysOfResponses(_ name: ModelName) throws {
    let expected = try #require(ModelFigures.responses[name])
    #expect(expected.count == ModelMessages.responses.count)
    for (each, figures) in zip(ModelMessages.responses, expected) {
      let message = try #require(try ModelMessages.message(each, isRequest: false))
      let said = name.model().response(SeenResponse(message, ModelAssumptions()))
      #expect(self.figures(said) == figures, "\(each.name)")
    }
  }

  @Test func epAddsFramingForSeveralTokens() throws {
    let octets = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1c\r\n".utf8)
    let message = try #require(
      try ModelMessages.message(
        .init(name: "", octets: octets + ModelMessages.gzipped + Array("\r\n0\r\n\r\n".utf8), wire: []),
        isRequest: false))
    let said = ModelName.ep.model().response(SeenResponse(message, ModelAssumptions()))
    // D 5, which is one digit: 1 + 2 + 2 + 5.
    #expect(figures(said) == [17, 17 + 13 + 6, 5, 10])
  }

  /// A message of a capture with its estimates by all models.
  private struct Collector: EstimateConsumer {
    var estimates: [Int: [PartLengths?]] = [:]
    mutating func take(_ message: WireMessage, _ said: [PartLengths?]) { estimates[message.row.number] = said }
  }

  private func replay(_ packets: [TestPacket]) -> ModelReplay<Collector> {
    var replay = ModelReplay(
      ModelName.allCases, ModelAssumptions(), configuration: Configuration(), consumer: Collector())
    for message in ModelMessages.messages(packets) { replay.take(message) }
    return replay
  }

  @Test func interimResponsesAreNobodys() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    let replay = replay(dialogue.packets())
    let said = try #require(replay.consumer?.estimates[2])
    #expect(said == ModelName.allCases.map { _ in PartLengths() })
    #expect(replay.errors.apis.first?.interim == 1)
    #expect(replay.errors.apis.first?.responses == 1)
  }

  /// Octets in a hole are in no count, so no model is held against it.
  @Test func nothingIsSaidOfWhatWasNotSeen() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234")
    dialogue.send(.server, "56789", isCaptured: false)
    dialogue.send(.server, "0123456789")
    dialogue.acknowledge(.client)
    dialogue.close()
    let replay = replay(dialogue.packets())
    let said = try #require(replay.consumer?.estimates[2])
    #expect(said == ModelName.allCases.map { _ in nil })
    #expect(replay.errors.responses.allSatisfy { $0.sums.unknown == 1 && $0.sums.messages == 0 })
    #expect(replay.errors.responses.allSatisfy { $0.sums.wire == PartLengths() })
  }

  /// Content that cannot be decoded has no delivered length, and only models that need it are silent.
  @Test func nothingIsSaidOfContentThatIsCorrupt() throws {
    let message = try #require(
      try ModelMessages.message(
        .init(
          name: "", octets: Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope".utf8),
          wire: []), isRequest: false))
    let silent = ModelName.allCases.filter { $0.model().response(SeenResponse(message, ModelAssumptions())) == nil }
    #expect(silent == [.hertz, .dogger, .ep, .llDebugTool, .netfox])
  }

  @Test func estimatesDoNotDependOnHowTheStreamWasCut() throws {
    for (cases, isRequest) in [(ModelMessages.requests, true), (ModelMessages.responses, false)] {
      for each in cases {
        func estimates(_ cuts: Set<Int>) throws -> [PartLengths?] {
          let message = try #require(try ModelMessages.message(each, isRequest: isRequest, cuts: cuts))
          return ModelName.allCases.map {
            isRequest
              ? $0.model().request(SeenRequest(message, ModelAssumptions()))
              : $0.model().response(SeenResponse(message, ModelAssumptions()))
          }
        }
        let expected = try estimates([])
        for cut in 1..<each.octets.count { #expect(try estimates([cut]) == expected, "\(each.name) cut at \(cut)") }
        #expect(try estimates(Set(1..<each.octets.count)) == expected, "\(each.name), octet by octet")
      }
    }
  }
}
