import Testing

@testable import HTTPReassembly

/// What the parser makes of a stream: the input beside the events that it must give, with the offsets of the octets.
///
/// Each input is given whole, and cut in two at every position: the events are the same.
@Suite struct ParserEventsTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    /// How the bodies are framed, in the order of the messages.
    var framing: [BodyFraming] = []
    var after: [AfterMessage] = []
    var input: String
    var events: String
    var notes: [String] = []

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "a request without content",
      input: "GET /a?b HTTP/1.1\r\nHost: h\r\nX:\r\n\r\n",
      events: """
        0 request GET /a?b [HTTP/1.1]
        0..19 start-line
        19..34 header
          field Host: h
          field X: 
        34 end of headers: none
        34 end of message
        """),
    Case(
      name: "content of known length, and what follows it",
      framing: [.length(5), .none],
      input: "POST / HTTP/1.0\r\n\r\nhello" + "HTTP/1.1 204\r\n\r\n",
      events: """
        0 request POST / [HTTP/1.0]
        0..17 start-line
        17..19 header
        19 end of headers: length(5)
        19..24 body
        24 end of message
        24 response 204 [HTTP/1.1]
        24..38 start-line
        38..40 header
        40 end of headers: none
        40 end of message
        """),
    Case(
      name: "chunks with an extension, and a trailer section",
      framing: [.chunked],
      input: "HTTP/1.1 200 OK\r\n\r\n" + "5;a=b\r\nhello\r\n" + "00a\r\n0123456789\r\n" + "0\r\nSum: 1\r\n\r\n",
      events: """
        0 response 200 [HTTP/1.1]
        0..17 start-line
        17..19 header
        19 end of headers: chunked
        19..26 framing
        26..31 body
        31..38 framing
        38..48 body
        48..53 framing
        53..61 trailer
        61..63 framing
        63 end of message
        """),
    Case(
      name: "a chunk-size line of leading zeros is one all the same",
      framing: [.chunked],
      input: "HTTP/1.1 200 OK\r\n\r\n" + "000000000000003\r\nabc\r\n" + "0\r\n\r\n",
      events: """
        0 response 200 [HTTP/1.1]
        0..17 start-line
        17..19 header
        19 end of headers: chunked
        19..36 framing
        36..39 body
        39..46 framing
        46 end of message
        """),
    Case(
      name: "a chunk without its line terminator ends the message",
      framing: [.chunked],
      input: "HTTP/1.1 200 OK\r\n\r\n" + "3\r\nabcd\r\n",
      events: """
        0 response 200 [HTTP/1.1]
        0..17 start-line
        17..19 header
        19 end of headers: chunked
        19..22 framing
        22..25 body
        25 broken message
        25..28 outside messages: stray
        """,
      notes: ["http_chunk_not_terminated"]),
    Case(
      name: "no chunk size",
      framing: [.chunked],
      input: "HTTP/1.1 200 OK\r\n\r\n" + "x\r\n",
      events: """
        0 response 200 [HTTP/1.1]
        0..17 start-line
        17..19 header
        19 end of headers: chunked
        19 broken message
        19..22 outside messages: stray
        """,
      notes: ["http_chunk_size_invalid"]),
    Case(
      name: "bare line feeds end lines, and are odd",
      framing: [.chunked],
      input: "HTTP/1.1 200 OK\nA: b\n\n" + "1\nx\n" + "0\n\n",
      events: """
        0 response 200 [HTTP/1.1]
        0..16 start-line
        16..22 header
          field A: b
        22 end of headers: chunked
        22..24 framing
        24..25 body
        25..29 framing
        29 end of message
        """,
      notes: Array(repeating: "http_bare_lf", count: 7)),
    Case(
      name: "a folded field line",
      input: "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
      events: """
        0 request GET / [HTTP/1.1]
        0..16 start-line
        16..28 header
          field A: b c
        28 end of headers: none
        28 end of message
        """,
      notes: ["http_obs_fold"]),
    Case(
      name: "field lines without a colon, or with other octets than ASCII",
      input: "GET / HTTP/1.1\r\nA\r\nB: \u{e9}\r\n\r\n",
      events: """
        0 request GET / [HTTP/1.1]
        0..16 start-line
        16..28 header
          no field: A
          field B: \u{e9} (not ASCII)
        28 end of headers: none
        28 end of message
        """),
    Case(
      name: "an empty line before a request",
      input: "GET / HTTP/1.1\r\n\r\n" + "\r\n" + "GET / HTTP/1.1\r\n\r\n",
      events: """
        0 request GET / [HTTP/1.1]
        0..16 start-line
        16..18 header
        18 end of headers: none
        18 end of message
        18..20 outside messages: stray
        20 request GET / [HTTP/1.1]
        20..36 start-line
        36..38 header
        38 end of headers: none
        38 end of message
        """,
      notes: ["http_empty_line_before_start"]),
    Case(
      name: "something else than HTTP",
      input: "SSH-2.0-x\r\nGarbage\r\n",
      events: "0..20 outside messages: undecided"),
    Case(
      name: "another protocol after a switch",
      framing: [.tunnel],
      after: [.tunnel],
      input: "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      events: """
        0 response 101 [HTTP/1.1]
        0..34 start-line
        34..36 header
        36 end of headers: tunnel
        36 end of message
        """),
  ]

  @Test(arguments: cases)
  func theEventsAreThose(_ tested: Case) {
    let octets = Array(tested.input.utf8)
    for cut in 0..<max(octets.count, 1) {
      var recorder = EventRecorder()
      recorder.after = tested.after
      var parser = HTTP1Parser(position: 0)
      var framing = tested.framing
      for part in [octets[..<cut], octets[cut...]] where !part.isEmpty {
        var rest = Array(part)
        // The other side is read in between, and has nothing to say.
        while !rest.isEmpty {
          let arrival = SegmentArrival.none
          let count = rest.withOctets {
            parser.consume($0, arrival: arrival, events: &recorder, context: &framing)
          }
          guard count > 0 else { break }
          rest.removeFirst(count)
        }
      }
      recorder.flush()
      #expect(recorder.events.joined(separator: "\n") == tested.events, "cut at \(cut)")
      #expect(recorder.notes == tested.notes, "cut at \(cut)")
    }
  }
}
