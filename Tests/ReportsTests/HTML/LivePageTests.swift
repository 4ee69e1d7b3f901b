import Foundation
import HTTPReassembly
import Testing

@testable import Reports

@Suite struct LivePageTests {
  /// The rows of a table in the data of a page.
  private func rows(_ page: LivePage, _ table: String, _ totals: Totals = emptyTotals()) throws -> [[Any]] {
    let data = page.data(totals, version: 1, time: 0, isOver: false)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any])
    return try #require((object[table] as? [String: Any])?["rows"] as? [[Any]])
  }

  /// An exchange is shown once its response begins, before it is final. A request that waits has not failed.
  @Test func openExchangesAreShownAtOnce() throws {
    var texts = TextPool()
    let (host, path) = (texts.intern("api.example.com"), texts.intern("/v1"))
    func message(_ number: Int, _ exchange: Int, _ kind: MessageKind, status: Int = 0) -> Message {
      var message = Message()
      (message.number, message.exchange, message.connection, message.kind) = (number, exchange, 1, kind)
      (message.host, message.path, message.apiPath, message.status) = (host, path, path, status)
      message.octets.header = 100
      (message.firstTime, message.lastTime) = (Int64(number) * 1_000_000, Int64(number) * 1_000_000)
      return message
    }
    let open = [
      message(1, 1, .request), message(2, 1, .response, status: 404), message(3, 2, .request),
      message(4, 3, .response, status: 200),
    ]
    let page = LivePage(grouping: .init())
    let shown = page.including { body in for message in open { body(message, texts) } }
    #expect(try rows(page, "exchanges").isEmpty && rows(page, "errors").isEmpty)
    #expect(try rows(shown, "exchanges").count == 2)
    let errors = try rows(shown, "errors")
    #expect(errors.count == 1 && errors.first?.contains { $0 as? Int == 404 } == true, "\(errors)")
    #expect(errors.first?.contains { $0 as? Int == 200 } == true, "\(errors)")
    #expect(try rows(shown, "statuses").count == 2)
    // Their APIs have the wait phases, of 1 ms each, that totals do not have yet.
    var totals = emptyTotals()
    totals.apis = [api("/v1", up: 10, down: 20, in: &texts)]
    totals.texts = texts
    let wait = { (page: LivePage) in try rows(page, "apis", totals).first?.filter { $0 as? Double == 1 }.count }
    #expect(try wait(page) == 2 && wait(shown) == 4, "requests and responses, and two percentiles")
  }
}
