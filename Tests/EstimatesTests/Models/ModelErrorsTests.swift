import HTTPReassembly
import Testing

@testable import Estimates

/// How errors add up.
@Suite struct ModelErrorsTests {
  private func message(
    _ number: Int, _ kind: MessageKind = .request, host: String = "h", path: String = "/", body: Int = 0
  ) -> WireMessage {
    var row = Message()
    row.number = number
    row.kind = kind
    row.octets.startLine = 10
    row.octets.header = 20
    row.octets.body = body
    var message = WireMessage(row: row)
    message.hostOctets = Array(host.utf8)
    message.pathOctets = Array(path.utf8)
    return message
  }

  @Test func sumsMeansAndWorst() throws {
    var errors = ModelErrors([.hertz], configuration: Configuration())
    errors.add(message(1, body: 100), [PartLengths(body: 90)])  // total 90 - 130 = -40
    errors.add(message(2, path: "/b", body: 5), [PartLengths(body: 90)])  // +55
    errors.add(message(3, path: "/b", body: 5), [nil])
    errors.add(message(4, .response, body: 7), [PartLengths(line: 10, header: 20, body: 8)])  // +1
    let requests = errors.requests[0]
    #expect(requests.sums.messages == 2)
    #expect(requests.sums.unknown == 1)
    #expect(requests.sums.wire == PartLengths(line: 20, header: 40, body: 105))
    #expect(requests.sums.error == PartLengths(line: -20, header: -40, body: 75))
    #expect(requests.sums.error.total == 15)
    #expect(requests.worst[.total]?.error == 55)
    #expect(requests.worst[.total]?.number == 2)
    #expect(requests.worst[.line]?.error == -10)
    #expect(requests.worst[.line]?.number == 1)
    #expect(errors.responses[0].sums.error == PartLengths(body: 1))
    let apis = errors.sortedAPIs
    #expect(apis.map(\.requests) == [1, 2])
    #expect(apis.map(\.responses) == [1, 0])
    #expect(apis.map { $0.request[0].error.total } == [-40, 55])
    #expect(apis.map { $0.request[0].unknown } == [0, 1])
  }

  @Test func theOrderOfMessagesDoesNotMatter() {
    let messages = (1...6).map { message($0, path: $0 % 2 == 0 ? "/a" : "/b", body: 10 * ($0 % 3)) }
    var ascending = ModelErrors([.hertz], configuration: Configuration())
    var descending = ModelErrors([.hertz], configuration: Configuration())
    for message in messages { ascending.add(message, [PartLengths(body: 10)]) }
    for message in messages.reversed() { descending.add(message, [PartLengths(body: 10)]) }
    for (a, b) in zip(ascending.sortedAPIs, descending.sortedAPIs) {
      #expect(a.path == b.path)
      #expect(a.request[0].worst == b.request[0].worst)
      #expect(a.request[0].error == b.request[0].error)
    }
  }

  @Test func tooManyAPIsLoseNoOctet() {
    var errors = ModelErrors([.hertz], configuration: Configuration(), limit: 16)
    for number in 1...100 { errors.add(message(number, host: "h\(number % 5)", path: "/\(number)"), [PartLengths()]) }
    for number in 101...200 { errors.add(message(number, host: "other\(number)"), [PartLengths()]) }
    // Two more hosts have a row, as their paths do not fit; then all are one.
    #expect(errors.apis.count == 16 + 16 / 8 + 1)
    #expect(errors.apis.reduce(0) { $0 + $1.request[0].messages } == 200)
    #expect(errors.apis.reduce(0) { $0 + $1.request[0].error.total } == -200 * 30)
    #expect(errors.messagesBeyondLimit == 184)
  }

  @Test func namesThatAreTooLongLoseNoOctet() {
    var errors = ModelErrors([.hertz], configuration: Configuration())
    let long = String(repeating: "x", count: 60_000)
    for number in 1...600 {
      errors.add(message(number, host: "h\(number % 3)", path: "/\(number)\(long)"), [PartLengths()])
    }
    // 279 paths fit into 16 MiB; the others are under three hosts.
    #expect(errors.apis.count == ModelErrors.nameLimit / 60_005 + 3)
    #expect(errors.apis.reduce(0) { $0 + $1.path.count } < ModelErrors.nameLimit)
    #expect(errors.apis.reduce(0) { $0 + $1.request[0].messages } == 600)
  }

  @Test func groupsByWhatIsAskedFor() {
    var configuration = Configuration()
    configuration.templatePaths = true
    var errors = ModelErrors([.hertz], configuration: configuration)
    errors.add(message(1, path: "/users/42"), [PartLengths()])
    errors.add(message(2, path: "/users/43"), [PartLengths()])
    #expect(errors.apis.map(\.path) == [Array("/users/{id}".utf8)])
    configuration.grouping = .init(path: false, method: false)
    errors = ModelErrors([.hertz], configuration: configuration)
    errors.add(message(1, path: "/a"), [PartLengths()])
    errors.add(message(2, path: "/b"), [PartLengths()])
    #expect(errors.apis.map(\.path) == [[]])
  }

  /// A hostile Content-Length, again and again.
  @Test func sumsDoNotOverflow() {
    var sums = PartLengths(body: .max - 1)
    sums.add(PartLengths(line: 5, body: 10))
    #expect(sums.body == .max)
    #expect(sums.total == .max)
    #expect((PartLengths() - PartLengths(header: .max)).total == -.max)
  }
}
