import Estimates
import Testing

/// What changes when something else is taken for granted of the app.
@Suite struct AssumptionTests {
  private func request(_ position: Int) throws -> WireMessage {
    try #require(try ModelMessages.message(ModelMessages.requests[position], isRequest: true))
  }

  private func said(_ name: ModelName, _ position: Int, _ change: (inout ModelAssumptions) -> Void) throws
    -> PartLengths?
  {
    var assumptions = ModelAssumptions()
    change(&assumptions)
    return name.model(assumptions).request(SeenRequest(try request(position), assumptions))
  }

  @Test func fieldsThatAreSeen() throws {
    // "query" with all fields: n 3, S 27, S + 3n 36; two escapes in "*/*": one. J 27 + 33 + 2 + 1.
    #expect(try said(.dogger, 0) { $0.invisibleFields = [] }?.header == 36)
    #expect(try said(.wedjat, 0) { $0.invisibleFields = [] }?.header == 63)
    // Without Accept only: Host and X-Id, S 18, n 2.
    #expect(try said(.dogger, 0) { $0.invisibleFields = ["accept"] }?.header == 24)
    // Nobody adds back what is hidden beside cookies.
    #expect(try said(.dogger, 0) { $0.invisibleFields = ["x-id", "host", "accept"] }?.header == 0)
  }

  @Test func cookiesThatAreSeen() throws {
    // "form": the app's own Cookie is among the fields, and the storage has none: J of fields as both together before.
    #expect(try said(.llDebugTool, 1) { $0.invisibleFields.remove("cookie") }?.header == 63 + 4)
    #expect(try said(.wedjat, 1) { $0.invisibleFields.remove("cookie") }?.header == 63)
  }

  @Test func streams() throws {
    // "form" has a Content-Length, "stream" is chunked.
    #expect(try said(.hertz, 1) { $0.streamBodies = .chunked }?.body == 5)
    #expect(try said(.hertz, 1) { $0.streamBodies = .all }?.body == 0)
    #expect(try said(.hertz, 2) { $0.streamBodies = .none }?.body == 5)
    // A POST's stream is read, that of others is not.
    #expect(try said(.doKit, 1) { $0.streamBodies = .all }?.body == 5)
    #expect(try said(.doKit, 5) { $0.streamBodies = .all }?.body == 0)
    // With a Content-Encoding the stream is read and compressed.
    #expect(try said(.dogger, 3) { $0.streamBodies = .all }?.body == 23)
    #expect(try said(.netfox, 2) { $0.streamBodies = .all }?.body == 5)
  }

  @Test func identity() throws {
    let message = try #require(try ModelMessages.message(ModelMessages.responses[2], isRequest: false))
    var assumptions = ModelAssumptions()
    assumptions.identityForChunked = false
    let response = SeenResponse(message, assumptions)
    #expect(ModelName.dogger.model(assumptions).response(response)?.header == 27)
    #expect(ModelName.wedjat.model(assumptions).response(response)?.header == 37)
    #expect(ModelName.ep.model(assumptions).response(response)?.header == 30)
  }

  @Test func emptyLineOfTaskMetrics() throws {
    #expect(try said(.taskMetrics, 0) { $0.metricsHaveEmptyLine = false }?.header == 61)
  }
}
